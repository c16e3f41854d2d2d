/** SNS itself. Anybody may keep a certificate in a bucket below `amazonaws.com`, so no other name there is trusted. */
const SNS_HOST = /^sns\.[a-z0-9-]{3,40}\.amazonaws\.com(?:\.cn)?$/;
const MAX_LENGTH = 2000;

/** True for an https address of SNS, on its usual port and without credentials. */
export function isSnsUrl(text: string): boolean {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  return protocol === 'https:' && port === '' && username === '' && password === '' && SNS_HOST.test(hostname);
}
