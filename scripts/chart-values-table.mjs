// The table of values in helm/README.md, made of the comments in helm/values.yaml that begin with "# --".
import { isAlias, isMap, parseDocument } from 'yaml';

/** Markdown: every value that has a meaning of its own, with its default. Throws for a value without one. */
export function valuesTable(yaml) {
  const rows = rowsOf(parseDocument(yaml).contents, []);
  return ['| value | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowsOf(map, path) {
  return map.items.flatMap(({ key, value }) => {
    const here = [...path, key.value];
    const meaning = meaningOf(key, map);
    if (meaning !== undefined) return [`| \`${here.join('.')}\` | ${standardOf(value)} | ${meaning} |`];
    if (isMap(value)) return rowsOf(value, here);
    throw new Error(`helm/values.yaml: ${here.join('.')} has no comment that begins with "# --"`);
  });
}

/** The comment above a key; above the first key of a map it belongs to the map itself. */
function meaningOf(key, map) {
  const comment = key.commentBefore ?? (map.items[0]?.key === key ? map.commentBefore : undefined);
  const line = comment?.split('\n').findLast((text) => text.startsWith(' -- '));
  return line?.slice(' -- '.length).replaceAll('|', '\\|');
}

function standardOf(value) {
  // Anchors are named after the place that they stand at.
  if (isAlias(value)) return `as \`${value.source.replace('-', '.')}\``;
  const text = JSON.stringify(value.toJSON());
  return text === '""' ? '' : `\`${text}\``;
}
