import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What is made, fetched or not ours. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', '.git', '.rootnote', 'recording']);
/** `[words](target)`; a target with a scheme leads out of the project and is not asked. */
const LINK = /\[[^\]]*\]\(<?([^)\s>]+)>?\)/g;
const OUT = /^[a-z][a-z+.-]*:/i;

function markdownFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Code is no prose: what looks like a link in it is none. */
function prose(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));
}

/** As GitHub makes them: small letters, digits, hyphens for spaces; a heading that comes again is numbered. */
function anchorsOf(file: string): ReadonlySet<string> {
  const times = new Map<string, number>();
  const headings = [...prose(file).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, title = '']) => {
    const words = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    const before = times.get(slug) ?? 0;
    times.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set(headings);
}

function brokenLinks(file: string): readonly string[] {
  return [...prose(file).matchAll(LINK)].flatMap(([, target = '']) => {
    if (OUT.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const to = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
    if (!existsSync(to)) return [`${file}: ${target} is not there`];
    if (anchor === undefined || !statSync(to).isFile() || !to.endsWith('.md')) return [];
    return anchorsOf(to).has(anchor) ? [] : [`${file}: ${target}: no such heading`];
  });
}

describe('the documents', () => {
  test('every relative link leads to a file, and every anchor to a heading', () => {
    const files = markdownFiles('.');
    expect(files).toEqual(expect.arrayContaining(['README.md', join('docs', 'operations.md')]));
    expect(files.flatMap(brokenLinks)).toEqual([]);
  });
});
