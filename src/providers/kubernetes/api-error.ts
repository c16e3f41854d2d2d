import { z } from 'zod';
import type { HttpAnswer, HttpRequestError } from '../../platform/http-request.ts';
import { BackendError, type BackendFailure } from '../backend/backend-error.ts';
import { parseJson } from '../backend/ask-backend.ts';
import type { KubernetesAccess } from './access.ts';

export const PROVIDER = 'kubernetes';

/** What the RBAC of the cluster has to allow for one request. */
export interface Right {
  readonly verb: 'list' | 'get';
  readonly group: string;
  /** `pods`, `pods/log` */
  readonly resource: string;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
}

interface Said {
  readonly status?: number;
  readonly continueToken?: string | undefined;
  readonly user?: string | undefined;
}

/** Why a request has no answer. */
export class KubernetesError extends BackendError {
  /** Of the HTTP answer; undefined when none came. */
  readonly status: number | undefined;
  /** With 410: where the list may be continued, as it is by now. */
  readonly continueToken: string | undefined;
  /** With 403: who was refused, in the words of the server. */
  readonly user: string | undefined;

  constructor(
    failure: BackendFailure,
    asked: string,
    { status, continueToken, user, cause }: ErrorOptions & Said = {},
  ) {
    super(PROVIDER, failure, asked, cause === undefined ? {} : { cause });
    this.status = status;
    this.continueToken = continueToken;
    this.user = user;
  }
}

/** The body of a failure (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/). */
const Status = z.looseObject({
  kind: z.literal('Status'),
  reason: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  metadata: z
    .looseObject({ continue: z.string().min(1).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  details: z
    .looseObject({ retryAfterSeconds: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type Status = z.infer<typeof Status>;

export function statusOf({ body }: HttpAnswer): Status | undefined {
  const read = Status.safeParse(parseJson(body));
  return read.success ? read.data : undefined;
}

/** How long a busy server asks to wait, ms; undefined for an answer that asks for nothing. 429 without a time means a second. */
export function retryAfterMs(answer: HttpAnswer): number | undefined {
  if (answer.status !== 429 && answer.status !== 503) return undefined;
  const seconds = Number(answer.headers['retry-after'] ?? statusOf(answer)?.details?.retryAfterSeconds);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  return answer.status === 429 ? 1000 : undefined;
}

/** The words for 401 and 403: who was refused what, and the rule that would allow it. */
export function refusal(
  code: number,
  status: Status | undefined,
  right: Right | undefined,
  access: KubernetesAccess,
): BackendFailure {
  if (code === 401) {
    const problem = `The API server does not know who asks (HTTP 401), with ${access.how}.`;
    return { problem, remedy: RENEW[access.credential.kind], answered: false };
  }
  const user = userIn(status) ?? access.how;
  const remedy = right
    ? howToAllow([right])
    : 'Bind the ClusterRole system:basic-user to it, or name another identity (docs/kubernetes.md).';
  const what = right ? `${right.resource}${placeOf(right)}` : 'its version, and what one may do,';
  const verb = right?.verb === 'list' ? 'listed' : 'read';
  return { problem: `${what} may not be ${verb} by ${user} (HTTP 403).`, remedy, answered: true };
}

/** `system:serviceaccount:ops:rootnote` */
export function userIn(status: Status | undefined): string | undefined {
  return /User "([^"]{1,200})"/.exec(status?.message ?? '')?.[1];
}

const RENEW: Readonly<Record<KubernetesAccess['credential']['kind'], string>> = {
  none: 'The client certificate may have expired: renew it, or use a token.',
  token: 'The token has expired or was revoked: make a new one.',
  basic: 'Use a token: Kubernetes has not taken passwords since 1.19.',
  'token-file': 'The token was read again and refused again: check that its service account still exists.',
};

function placeOf({ resource, namespace }: Right): string {
  return namespace === undefined ? (resource.includes('/') ? '' : ' of the cluster') : ` in ${namespace}`;
}

/** `Allow {apiGroups: [""], resources: ["pods"], verbs: ["list"]} in a Role in namespace shop (docs/kubernetes.md).` All of one verb and namespace. */
export function howToAllow(rights: readonly Right[]): string {
  const groups = [...new Set(rights.map(({ group }) => group))];
  const { verb = 'list', namespace } = rights[0] ?? {};
  const rules = groups.map((group) => {
    const resources = rights.filter((right) => right.group === group).map(({ resource }) => `"${resource}"`);
    return `{apiGroups: ["${group}"], resources: [${resources.join(', ')}], verbs: ["${verb}"]}`;
  });
  const where = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  return `Allow ${rules.join(', ')} in ${where} (docs/kubernetes.md).`;
}

/** Codes of Node and OpenSSL that tell of the certificates. */
const CERTIFICATE_TROUBLE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the API server has expired: renew it.',
  EPROTO: 'The port may not speak TLS: check the address of the API server.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name: name that one as tls-server-name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Give its certificate-authority-data.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Give its certificate-authority-data.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is of another authority: give its certificate-authority-data.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate is of another authority: give its certificate-authority-data.',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'It wants a client certificate.',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'It refuses the client certificate: renew it.',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'The client certificate has expired: renew it.',
};

export function brokenConnection(cause: HttpRequestError, asked: string): KubernetesError {
  const { failure, message } = cause;
  const { code = '' } = (cause.cause ?? {}) as NodeJS.ErrnoException;
  const remedies = {
    timeout: 'Raise KUBERNETES_TIMEOUT_MS.',
    aborted: 'The time for the investigation ran out.',
    'too-large': 'Raise KUBERNETES_MAX_RESPONSE_BYTES.',
    'refused-address': 'Check the address of the API server.',
    network: CERTIFICATE_TROUBLE[code] ?? 'Check the address of the API server and the network to it.',
  };
  const timedOut = failure === 'timeout';
  const problem = `${message.replace(/^the /, 'The ')}.`;
  const answered = timedOut || failure === 'too-large';
  return new KubernetesError({ problem, remedy: remedies[failure], answered, timedOut }, asked, { cause });
}
