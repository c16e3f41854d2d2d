/** `failed calling webhook "…": … Post "https://<service>.<namespace>.svc:443/…"`, as the API server says it. */
const CALL =
  /failed calling webhook .{0,300}?https?:\/\/([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)\.([-a-z0-9]{1,63})\.svc\b/i;

/** The Service of an admission webhook that could not be asked: it fails, not the workload whose pods are refused. */
export function failingWebhook(message: string): string | undefined {
  return CALL.exec(message)?.[1]?.toLowerCase();
}
