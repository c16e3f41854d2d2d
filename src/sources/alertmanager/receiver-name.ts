/** Alertmanager sends receiver names through Go's `regexp.QuoteMeta`; this takes the backslashes away again. */
export function unquoteReceiver(name: string): string {
  return name.replace(/\\([\\.+*?()|[\]{}^$])/g, '$1');
}
