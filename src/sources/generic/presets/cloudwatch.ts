/**
 * CloudWatch alarms as SNS delivers them, `Message` already read (docs.aws.amazon.com, "Alarm events"). CloudWatch sends a state only where the
 * operator has given it an action: INSUFFICIENT_DATA is one that somebody wants to hear of.
 */
export const CLOUDWATCH = {
  title: ['Message.AlarmName', 'Subject', 'Message'],
  status: { path: 'Message.NewStateValue', map: { ALARM: 'firing', INSUFFICIENT_DATA: 'firing', OK: 'resolved' } },
  dedup_key: ['Message.AlarmArn', 'Message.AlarmName'],
  changed_at: ['Message.StateChangeTime', 'Timestamp'],
  labels_from: ['Message.Trigger.Dimensions', 'Message.Trigger.Metrics[].MetricStat.Metric.Dimensions'],
  labels: {
    service: [
      '$labels.ServiceName',
      '$labels.FunctionName',
      '$labels.DBInstanceIdentifier',
      '$labels.DBClusterIdentifier',
      '$labels.LoadBalancer',
      '$labels.QueueName',
      '$labels.CacheClusterId',
      '$labels.AutoScalingGroupName',
      '$labels.InstanceId',
    ],
    region: 'Message.Region',
    account: 'Message.AWSAccountId',
    namespace: 'Message.Trigger.Namespace',
    metric: 'Message.Trigger.MetricName',
  },
  annotations: { reason: 'Message.NewStateReason', topic: 'TopicArn' },
  description: ['Message.AlarmDescription', 'Message.NewStateReason'],
};
