import { settingGroups } from './schema.ts';

interface SettingRow {
  readonly name: string;
  readonly description: string;
  readonly default: string | undefined;
  readonly secret: boolean;
}

function rowsOf(settings: (typeof settingGroups)[number]['settings']): readonly SettingRow[] {
  return Object.entries(settings).map(([name, schema]) => {
    const unset = schema.safeParse(undefined);
    const meta = schema.meta();
    return {
      name,
      description: meta?.description ?? '',
      default: unset.success && unset.data !== undefined ? String(unset.data) : undefined,
      secret: meta?.['secret'] === true,
    };
  });
}

/** Text of `.env.example`: every setting with its meaning; defaults as comments, so that copying the file changes nothing. */
export function envExample(): string {
  const groups = settingGroups.map(({ title, settings }) => {
    const lines = rowsOf(settings).map((row) => `# ${row.description}\n# ${row.name}=${row.default ?? ''}`);
    return `## ${title}\n\n${lines.join('\n\n')}`;
  });
  return `# Copy to .env and remove the # before what you set. An empty value counts as unset.\n\n${groups.join('\n\n')}\n`;
}

/** Text of docs/configuration.md between its hand-written head and tail. */
export function configurationTable(): string {
  return settingGroups
    .map(({ title, settings }) => {
      const rows = rowsOf(settings).map((row) => {
        const standard = row.default === undefined ? (row.secret ? 'unset, secret' : 'unset') : `\`${row.default}\``;
        return `| \`${row.name}\` | ${standard} | ${row.description.replaceAll('|', '\\|')} |`;
      });
      return `## ${title}\n\n| variable | default | meaning |\n|---|---|---|\n${rows.join('\n')}`;
    })
    .join('\n\n');
}
