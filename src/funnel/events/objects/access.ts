import type { Cluster } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { listAt, textAt } from '../json-path.ts';

/** Role bindings for service accounts or roles that do not exist, told to the services that run under the account. */
export const roleBindings: Rule = (cluster, context) =>
  cluster.of('RoleBinding').flatMap((binding) =>
    listAt(binding.body, 'subjects').flatMap((subject): readonly Condition[] => {
      const name = textAt(subject, 'name');
      const namespace = textAt(subject, 'namespace') ?? binding.namespace;
      if (textAt(subject, 'kind') !== 'ServiceAccount' || !name) return [];
      const role = textAt(binding.body, 'roleRef', 'name') ?? 'a role';
      const isNoAccount =
        cluster.wasRead('ServiceAccount', namespace) && !cluster.find('ServiceAccount', namespace, name);
      const isNoRole = lacksRole(binding.body, binding.namespace, cluster);
      if (!isNoAccount && !isNoRole) return [];
      const users = usersOf(name, namespace, cluster);
      const statement = isNoAccount
        ? `gives ${role} to service account ${name}, which does not exist`
        : `gives service account ${name} the role ${role}, which does not exist`;
      return (users.length > 0 ? users : [context.services.canonical(name)]).map((service) => ({
        object: binding,
        service,
        reason: isNoAccount ? `NoServiceAccount ${name}` : `NoRole ${role}`,
        statement,
        severity: users.length > 0 || !isNoAccount ? 0.75 : 0.6,
        type: 'permission',
      }));
    }),
  );

function lacksRole(binding: unknown, namespace: string, cluster: Cluster): boolean {
  const [kind, name] = [textAt(binding, 'roleRef', 'kind'), textAt(binding, 'roleRef', 'name')];
  if (name === undefined || (kind !== 'Role' && kind !== 'ClusterRole')) return false;
  const place = kind === 'Role' ? namespace : '';
  return cluster.wasRead(kind, place) && !cluster.find(kind, place, name);
}

function usersOf(account: string, namespace: string, cluster: Cluster): readonly string[] {
  const users = cluster.podSpecs.filter(
    ({ owner, spec }) =>
      owner.namespace === namespace &&
      (textAt(spec, 'serviceAccountName') ?? textAt(spec, 'serviceAccount')) === account,
  );
  return [...new Set(users.map(({ owner }) => owner.service))];
}
