import type { Rule } from '../condition.ts';
import { listAt, textAt } from '../json-path.ts';

/** Role bindings for service accounts that do not exist, told to the service that is named like the account or binding. */
export const roleBindings: Rule = (cluster, context) =>
  cluster.of('RoleBinding').flatMap((binding) =>
    listAt(binding.body, 'subjects').flatMap((subject) => {
      const name = textAt(subject, 'name');
      const namespace = textAt(subject, 'namespace') ?? binding.namespace;
      if (textAt(subject, 'kind') !== 'ServiceAccount' || !name) return [];
      if (!cluster.wasRead('ServiceAccount', namespace) || cluster.find('ServiceAccount', namespace, name)) return [];
      return {
        object: binding,
        service: context.services.canonical(name),
        reason: `NoServiceAccount ${name}`,
        statement: `gives ${textAt(binding.body, 'roleRef', 'name') ?? 'a role'} to service account ${name}, which does not exist`,
        severity: 0.6,
        type: 'permission' as const,
      };
    }),
  );
