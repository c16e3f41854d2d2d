import type { CallToolResult } from '@modelcontextprotocol/client';

export interface ResultText {
  readonly text: string;
  /** What was left out, in words. */
  readonly notes: readonly string[];
}

/** The text of a result and nothing else: no image, no audio, and no link is ever followed. A structured answer without text is its JSON. */
export function resultText(result: Pick<CallToolResult, 'content' | 'structuredContent'>): ResultText {
  const texts: string[] = [];
  const others: string[] = [];
  for (const block of result.content) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'resource' && 'text' in block.resource) texts.push(block.resource.text);
    else others.push(block.type);
  }
  if (texts.length === 0 && result.structuredContent !== undefined)
    texts.push(JSON.stringify(result.structuredContent));
  const notes = others.length > 0 ? [`Left out, since it is no text: ${others.join(', ')}.`] : [];
  return { text: texts.join('\n') || '(the tool returned no text)', notes };
}
