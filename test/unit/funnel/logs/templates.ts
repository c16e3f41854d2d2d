import { TemplateMiner } from '../../../../src/funnel/logs/template-miner.ts';

/** The template of every line, mined together. */
export function templatesOf(lines: readonly string[]): string[] {
  const miner = new TemplateMiner();
  const ids = lines.map((line) => miner.add(line));
  miner.finish();
  return ids.map((id) => miner.template(miner.group(id)));
}

/** The different templates of the lines, in order of appearance. */
export function differentTemplates(lines: readonly string[]): string[] {
  return [...new Set(templatesOf(lines))];
}
