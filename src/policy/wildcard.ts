/**
 * Matches a whole name against a pattern in which `*` stands for any text, whatever the case. Not a regular expression: the pattern
 * may come from a model, and many stars would make one take for ever.
 */
export function wildcard(pattern: string): (name: string) => boolean {
  const [head = '', ...others] = pattern.toLowerCase().split('*');
  const tail = others.pop();
  return (name) => {
    const text = name.toLowerCase();
    if (tail === undefined) return text === head;
    if (!text.startsWith(head)) return false;
    let position = head.length;
    for (const part of others) {
      const found = text.indexOf(part, position);
      if (found < 0) return false;
      position = found + part.length;
    }
    return text.length - tail.length >= position && text.endsWith(tail);
  };
}
