/** What the imitated kubelets find when they run an image. An image that nobody described serves. */
export type PodProgram =
  | { readonly kind: 'serves'; readonly log?: readonly string[] }
  | {
      readonly kind: 'crashes';
      readonly exitCode: number;
      /** As the container runtime calls the end; default `Error`. */
      readonly reason?: string;
      readonly restarts: number;
      /** Since when, so that a test need not wait for the back-off to grow. */
      readonly forMs: number;
      readonly log: readonly string[];
    }
  /** Runs, and its readiness probe fails with these words. */
  | { readonly kind: 'unready'; readonly probe: string; readonly log?: readonly string[] }
  /** The registry does not know its tag. */
  | { readonly kind: 'unknown image' };

export const SERVES: PodProgram = { kind: 'serves' };
