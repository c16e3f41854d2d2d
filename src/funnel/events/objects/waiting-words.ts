/** What a runtime and a kubelet put around the reason why an image was not pulled, in order. */
const PULL_WRAPPINGS =
  /^(back-?off pulling image\b.*|failed to pull image\b.*|errimagepull|imagepullbackoff|rpc error|code = \w+ desc = .*|failed to pull and unpack image\b.*|failed to resolve reference\b.*|failed to resolve image\b.*)$/i;
const BACK_OFF = /^back-?off \S+ restarting failed container/i;

/**
 * What the message of a waiting container adds to its reason: nothing for a back-off, which says again that and how it is tried; of an image the reason at the
 * end (`not found`, `401 Unauthorized`), without the name that each layer repeats.
 */
export function waitingWords(message: string, image: string | undefined): string {
  if (BACK_OFF.test(message)) return '';
  const parts = message.split(': ');
  const told = parts.filter((part) => part !== image && !PULL_WRAPPINGS.test(part));
  return image === undefined || told.length === 0 ? message : told.join(': ');
}
