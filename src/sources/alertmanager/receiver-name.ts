/** Alertmanager sends receiver names through Go's `regexp.QuoteMeta`; this takes the backslashes away again. */
export function unquoteReceiver(name: string): string {
  // Most hold none, and to look for what to replace costs several times as much.
  if (!name.includes('\\')) return name;
  return name.replace(/\\([\\.+*?()|[\]{}^$])/g, '$1');
}
