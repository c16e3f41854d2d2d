/** An alert as public rule sets write it, and the playbooks that an operator would reach for: the first is best, others are fine; none: no playbook is about it. */
export interface TypicalAlert {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly playbooks: readonly string[];
}

const alert = (name: string, summary: string, ...playbooks: string[]): TypicalAlert => ({ name, summary, playbooks });

/** Names by memory of what rule sets for Kubernetes, hosts, databases, queues, proxies and probes look like; the words are ours. */
export const TYPICAL_ALERTS: readonly TypicalAlert[] = [
  // Kubernetes
  alert('KubePodCrashLooping', 'Pod is crash looping.', 'k8s-crashloop'),
  alert(
    'KubePodNotReady',
    'Pod has been in a non-ready state for more than 15 minutes.',
    'pod-pending',
    'rollout-stuck',
  ),
  alert(
    'KubeDeploymentGenerationMismatch',
    'Deployment generation mismatch due to possible roll-back',
    'rollout-stuck',
  ),
  alert(
    'KubeDeploymentReplicasMismatch',
    'Deployment has not matched the expected number of replicas.',
    'rollout-stuck',
  ),
  alert('KubeDeploymentRolloutStuck', 'Deployment rollout is not progressing.', 'rollout-stuck'),
  alert(
    'KubeStatefulSetReplicasMismatch',
    'StatefulSet has not matched the expected number of replicas.',
    'rollout-stuck',
  ),
  alert('KubeStatefulSetUpdateNotRolledOut', 'StatefulSet update has not been rolled out.', 'rollout-stuck'),
  alert('KubeDaemonSetRolloutStuck', 'DaemonSet rollout is stuck.', 'rollout-stuck'),
  alert('KubeDaemonSetMisScheduled', 'DaemonSet pods are misscheduled.', 'rollout-stuck'),
  alert(
    'KubeContainerWaiting',
    'Pod container waiting longer than 1 hour',
    'k8s-crashloop',
    'pod-pending',
    'image-pull',
  ),
  alert('KubeJobNotCompleted', 'Job did not complete in time', 'job-failed'),
  alert('KubeJobFailed', 'Job failed to complete.', 'job-failed'),
  alert('KubeHpaMaxedOut', 'HPA is running at max replicas', 'traffic-surge'),
  alert('KubeCPUOvercommit', 'Cluster has overcommitted CPU resource requests.', 'pod-pending'),
  alert('KubeMemoryOvercommit', 'Cluster has overcommitted memory resource requests.', 'pod-pending'),
  alert('KubeQuotaExceeded', 'Namespace quota has exceeded the limits.', 'pod-pending'),
  alert('CPUThrottlingHigh', 'Processes experience elevated CPU throttling.', 'cpu-throttling'),
  alert('KubePersistentVolumeFillingUp', 'PersistentVolume is filling up.', 'pvc-filling'),
  alert('KubePersistentVolumeInodesFillingUp', 'PersistentVolumeInodes are filling up.', 'pvc-filling'),
  alert('KubePersistentVolumeErrors', 'PersistentVolume is having issues with provisioning.', 'pvc-filling'),
  alert('KubeClientCertificateExpiration', 'Client certificate is about to expire.', 'certificate-expiry'),
  alert('KubeletClientCertificateExpiration', 'Kubelet client certificate is about to expire.', 'certificate-expiry'),
  alert('KubeNodeNotReady', 'Node is not ready.', 'node-pressure'),
  alert('KubeNodeUnreachable', 'Node is unreachable.', 'node-pressure'),
  alert('KubeNodePressure', 'Node has as active Condition.', 'node-pressure'),
  alert('KubeletDown', 'Target disappeared from Prometheus target discovery.', 'node-pressure', 'target-down'),
  alert('KubeVersionMismatch', 'Different semantic versions of Kubernetes components running.'),
  alert('KubeAPIErrorBudgetBurn', 'The API server is burning too much error budget.', 'error-rate-burn'),
  alert('KubernetesPodOOMKilled', 'Container was OOMKilled 3 times in 10 minutes', 'oom-killed'),
  alert('ContainerOomKiller', 'Container OOM killer', 'oom-killed'),
  alert('KubePodImagePullBackOff', 'Pod cannot pull its image', 'image-pull'),
  // Hosts
  alert('NodeFilesystemAlmostOutOfSpace', 'Filesystem has less than 5% space left.', 'disk-full'),
  alert(
    'NodeFilesystemSpaceFillingUp',
    'Filesystem is predicted to run out of space within the next 24 hours.',
    'disk-full',
  ),
  alert(
    'NodeFilesystemFilesFillingUp',
    'Filesystem is predicted to run out of inodes within the next 24 hours.',
    'disk-full',
  ),
  alert('NodeNetworkReceiveErrs', 'Network interface is reporting many receive errors.', 'host-saturation'),
  alert('NodeClockNotSynchronising', 'Clock not synchronising.', 'host-saturation'),
  alert('NodeCPUHighUsage', 'High CPU usage.', 'host-saturation'),
  alert('NodeSystemSaturation', 'System saturated, load per core is very high.', 'host-saturation'),
  alert('NodeMemoryMajorPagesFaults', 'Memory major page faults are occurring at very high rate.', 'node-pressure'),
  alert('NodeMemoryHighUtilization', 'Host is running out of memory.', 'node-pressure'),
  alert('NodeDiskIOSaturation', 'Disk IO queue is high.', 'host-saturation'),
  alert('NodeSystemdServiceFailed', 'Systemd service has entered failed state.', 'safe-service-restart'),
  alert('NodeTextFileCollectorScrapeError', 'Node Exporter text file collector failed to scrape.'),
  alert('HostOutOfDiskSpace', 'Host out of disk space', 'disk-full'),
  alert('HostRaidArrayGotInactive', 'Host RAID array got inactive'),
  // Databases
  alert('PostgresqlTooManyConnections', 'Postgresql too many connections (> 80%)', 'database-connections'),
  alert('PostgresqlReplicationLag', 'Postgresql replication lag', 'replication-lag'),
  alert('PostgresqlDown', 'Postgresql instance is down', 'database-connections', 'target-down'),
  alert('PostgresqlDeadLocks', 'PostgreSQL has dead-locks', 'database-connections'),
  alert('MySQLTooManyConnections', 'MySQL too many connections', 'database-connections'),
  alert('MySQLReplicationNotRunning', 'Replication on a slave is not running', 'replication-lag'),
  alert('MysqlSlaveReplicationLag', 'MySQL Slave replication lag', 'replication-lag'),
  alert('MysqlSlowQueries', 'MySQL slow queries', 'database-connections'),
  alert('RedisMissingMaster', 'Redis cluster has no node marked as master.'),
  // Queues
  alert('KafkaConsumerGroupLag', 'Kafka consumer group lag', 'queue-lag'),
  alert('KafkaUnderReplicatedPartitions', 'Topic has under-replicated partitions', 'queue-lag'),
  alert('RabbitmqTooManyReadyMessages', 'RabbitMQ too many ready messages', 'queue-lag'),
  alert('RabbitmqNoQueueConsumer', 'RabbitMQ queue has less than 1 consumer', 'queue-lag'),
  // Proxies, probes, services
  alert('NginxHighHttp5xxErrorRate', 'Too many HTTP requests with status 5xx', 'nginx-5xx'),
  alert('NGINXTooMany500s', 'Too many 5XXs', 'nginx-5xx'),
  alert('NginxLatencyHigh', 'Nginx p99 latency is higher than 3 seconds', 'http-latency', 'nginx-5xx'),
  alert('BlackboxProbeFailed', 'Blackbox probe failed', 'target-down'),
  alert('BlackboxSslCertificateWillExpireSoon', 'SSL certificate expires in less than 20 days', 'certificate-expiry'),
  alert('BlackboxProbeSlowHttp', 'HTTP request took more than 1s', 'http-latency', 'target-down'),
  alert('TargetDown', 'One or more targets are unreachable.', 'target-down'),
  alert('CertManagerCertNotReady', 'The cert is not ready to serve traffic.', 'certificate-expiry'),
  alert('CoreDNSErrorsHigh', 'CoreDNS is returning SERVFAIL for too many requests.', 'dns-tls'),
  alert('HighRequestLatency', 'p99 latency of checkout is above 2 s', 'http-latency'),
  alert('CheckoutErrorBudgetBurn', 'The error budget of checkout burns 14 times too fast', 'error-rate-burn'),
  alert('HighErrorRate', 'More than 5 % of requests fail', 'error-rate-burn'),
  alert('ContainerKilled', 'A container has disappeared', 'oom-killed', 'docker-restart-loop', 'target-down'),
  alert('VeleroBackupFailed', 'Velero backup has failed', 'backup-recovery'),
  alert('LastBackupTooOld', 'No successful backup for 26 hours', 'backup-recovery'),
  // Nothing of ours
  alert('Watchdog', 'An alert that should always be firing to certify that Alertmanager is working properly.'),
  alert('InfoInhibitor', 'Info-level alert inhibition.'),
  alert('AlertmanagerFailedReload', 'Reloading an Alertmanager configuration has failed.', 'deployment-regression'),
  alert('PrometheusRuleFailures', 'Prometheus is failing rule evaluations.'),
  alert('PrometheusTSDBCompactionsFailing', 'Prometheus has issues compacting blocks.'),
  alert('EtcdNoLeader', 'etcd cluster has no leader.'),
  alert('SignupsBelowForecast', 'Fewer sign-ups than forecast.'),
  alert('CloudSpendAnomaly', 'Daily spend is twice the usual.'),
];
