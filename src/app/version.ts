import { existsSync, readFileSync } from 'node:fs';

/** Version in package.json, which lies above src/ in tests and above dist/src/ in a build. */
export function version(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string };
    return version;
  }
  return 'unknown';
}
