import { describe, expect, test } from '@jest/globals';
import { whyNotRead } from '../../../../src/policy/shell/paths.ts';

describe('what is never read', () => {
  test.each([
    [
      'accounts',
      ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/sudoers', '/etc/sudoers.d/x', '/etc/security/opasswd'],
    ],
    [
      'keys',
      [
        '/etc/ssl/private/a.pem',
        '/opt/a/server.key',
        '/opt/a/privkey.pem',
        '/etc/ssh/ssh_host_rsa_key',
        '/home/u/.ssh/id_ed25519',
        '/opt/a/store.jks',
      ],
    ],
    [
      'credentials',
      [
        '/home/u/.aws/credentials',
        '/home/u/.kube/config',
        '/root/.netrc',
        '/srv/.env',
        '/srv/prod.env',
        '/srv/credentials.json',
        '/srv/.git-credentials',
        '/etc/kubernetes/admin.conf',
      ],
    ],
    [
      'mounted secrets',
      [
        '/var/run/secrets/kubernetes.io/serviceaccount/token',
        '/run/secrets/db',
        '/var/lib/kubelet/pods/a/volumes/kubernetes.io~secret/b/c',
      ],
    ],
    [
      'processes',
      [
        '/proc/1/environ',
        '/proc/self/environ',
        '/proc/thread-self/environ',
        '/proc/1/mem',
        '/proc/1/fd/3',
        '/proc/1/root/etc/shadow',
        '/proc/1/task/1/environ',
        '/proc/kcore',
      ],
    ],
    ['devices', ['/dev/sda', '/dev/zero', '/dev/mem', '/dev/tcp/192.0.2.1/80', '/dev/stdin']],
    ['streams without an end', ['/sys/kernel/tracing/trace_pipe', '/proc/kmsg']],
    ['histories', ['/home/u/.bash_history', '/root/x']],
  ])('%s', (_kind, paths) => {
    expect(paths.filter((path) => whyNotRead(path, 'content') === undefined)).toEqual([]);
  });

  test.each([
    '/etc//shadow',
    '/etc/./shadow',
    '/etc/shadow/',
    '//etc/shadow',
    '/ETC/Shadow',
    '/etc/../etc/shadow',
    '/var/log/../../etc/shadow',
  ])('no spelling helps: %s', (path) => {
    expect(whyNotRead(path, 'content')).toBeDefined();
  });

  test.each(['/', '/etc', '/home', '/home/u', '/root', '/var', '/var/lib', '/run', '/proc', '/dev'])(
    'a folder that holds such places is not read whole: %s',
    (path) => {
      expect(whyNotRead(path, 'tree')).toBeDefined();
    },
  );

  // Looked at by name only, no rule about hidden files helps: each of these stands for a place or a name of the lists.
  test.each([
    '/root/.ssh',
    '/etc/shadow',
    '/etc/shadow_old',
    '/etc/security/opasswd',
    '/etc/ssl/private',
    '/etc/ssl/private/app.pem',
    '/etc/pki/tls/private/a',
    '/etc/ipsec.d/private/a',
    '/etc/ipsec.secrets',
    '/etc/ppp/chap-secrets',
    '/etc/docker/key.json',
    '/etc/credstore/db',
    '/var/lib/cloud/instance/user-data.txt.i',
    '/var/run/secrets',
    '/run/credentials/app',
    '/run/docker.sock',
    '/mnt/secrets/azure/a',
    '/srv/pods/1/volumes/kubernetes.io~projected/api/ca',
    '/srv/backup_ed25519',
    '/home/u/.psql_history',
    '/home/u/.bash_profile',
    '/tmp/krb5cc_1000',
    '/home/u/.netrc',
    '/home/u/.pgpass',
    '/home/u/.my.cnf',
    '/srv/www/.htpasswd',
    '/etc/kafka/server_jaas.conf',
    '/home/u/.npmrc',
    '/srv/rclone.conf',
    '/srv/environ',
    '/srv/prod-kubeconfig',
    '/srv/admin.conf',
    '/srv/credentials.json',
    '/srv/tokens',
    '/srv/tls/server-key.pem',
  ])('not even names and sizes: %s', (path) => {
    expect(whyNotRead(path, 'entry')).toBeDefined();
  });
});

describe('what is read', () => {
  test.each([
    '/etc/passwd',
    '/etc/hosts',
    '/etc/nginx/nginx.conf',
    '/etc/ssh/sshd_config',
    '/etc/ssl/certs/site.pem',
    '/home/u/id_rsa.pub',
    '/var/log/token-service.log',
    '/var/log/secure',
    '/srv/app/secret-service.log.1.gz',
    '/proc/meminfo',
    '/proc/1/status',
    '/proc/net/tcp',
    '/proc/sys/vm/swappiness',
    '/sys/fs/cgroup/memory.max',
    '/dev/null',
    'relative.txt',
  ])('%s', (path) => {
    expect(whyNotRead(path, 'content')).toBeUndefined();
  });

  test.each([
    '/etc/kubernetes/pki/apiserver.crt',
    '/etc/letsencrypt/archive/example.org/fullchain1.pem',
    '/etc/ssl/certs/a.pem',
  ])('what is public of the certificate %s', (path) => {
    expect(whyNotRead(path, 'certificate')).toBeUndefined();
  });

  test.each([
    '/etc/kubernetes/pki/ca.key',
    '/etc/letsencrypt/live/example.org/privkey.pem',
    '/etc/ssl/private/a.pem',
    '/run/secrets/a.pem',
  ])('but not %s, which is none', (path) => {
    expect(whyNotRead(path, 'certificate')).toBeDefined();
  });

  test.each(['/', '/root', '/proc/1/fd', '/dev/sda', '/home/u', '/var/lib/docker'])('names and sizes of %s', (path) => {
    expect(whyNotRead(path, 'entry')).toBeUndefined();
  });

  test.each(['/var/log', '/etc/nginx', '/srv/app', '/opt/app/conf'])('all of %s', (path) => {
    expect(whyNotRead(path, 'tree')).toBeUndefined();
  });
});
