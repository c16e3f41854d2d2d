import type { Program, Programs } from '../grammar.ts';

const exactly = (...forms: readonly string[]): Program => ({
  reads: (words) =>
    words.length === 1 && forms.includes(words[0] ?? '')
      ? undefined
      : `only tells its version here: ${forms.join(' or ')}`,
});

/** Programs that can do anything, and that are asked for nothing but their version. */
export const versions: Programs = {
  'python python3 node npm perl ruby php gcc clang make cmake rustc cargo dotnet mysqld mysql mariadb psql postgres redis-server redis-cli mongod etcd etcdctl envoy haproxy terraform ansible aws gcloud az kubelet kubeadm containerd runc minikube':
    exactly('--version'),
  'nginx httpd apache2': exactly('-v', '-V'),
  java: exactly('-version', '--version'),
  'go prometheus alertmanager': exactly('version', '--version'),
};
