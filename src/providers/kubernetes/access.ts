/** Where the API server is, how it proves itself and how Rootnote does. */
export interface KubernetesAccess {
  /** Without a slash at its end. */
  readonly server: string;
  /** PEM texts. */
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly serverName?: string;
  };
  readonly credential: Credential;
  /** In words, for `rootnote doctor`: `the service account of the own pod`, `context prod of /etc/kubeconfig`. */
  readonly how: string;
}

export type Credential =
  /** The client certificate alone, or nobody in particular. */
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  /** Read before every request: Kubernetes replaces a service account's token every hour or so. */
  | { readonly kind: 'token-file'; readonly file: string };
