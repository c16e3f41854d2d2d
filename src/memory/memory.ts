import { createHash } from 'node:crypto';
import type { Memory } from '../agent/toolbox.ts';
import { checkFact } from './check-fact.ts';
import { recallText } from './recall-text.ts';
import type { MemoryStore, Writer } from './store.ts';

export interface MemoryOptions {
  readonly redact: (text: string) => string;
  readonly now: () => number;
  readonly writer: Writer;
}

/** Memory over a store. A store that fails rejects; the caller decides whether that matters. */
export function createMemory(store: MemoryStore, { redact, now, writer }: MemoryOptions): Memory {
  const recalled = remembering((text: string) => recallText(text, redact));
  return {
    recall: async () => recalled(await store.read()),
    remember: async (text) => {
      const checked = checkFact(text);
      if (checked.kind === 'refused') return checked;
      if (redact(checked.fact) !== checked.fact) return { kind: 'refused', why: 'it looks like it holds a secret' };
      const ts = new Date(now()).toISOString();
      const sha256 = createHash('sha256').update(checked.fact).digest('hex');
      const entry = { ts, event: 'memory-add', type: checked.kind, by: writer, sha256 } as const;
      const appended = await store.append(checked.fact, ts.slice(0, 10), entry);
      if (appended === 'full') return { kind: 'refused', why: 'the memory is full until a person cleans it' };
      return { kind: appended };
    },
  };
}

/** The last answer again while the question is the same: redacting a large memory takes a while. */
function remembering(answer: (text: string) => string): (text: string) => string {
  let last = { text: '', answer: answer('') };
  return (text) => {
    if (text !== last.text) last = { text, answer: answer(text) };
    return last.answer;
  };
}
