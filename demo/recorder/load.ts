/** Sends `perSecond` requests a second on average, at random moments, whether or not earlier ones were answered. Returns its stop. */
export function startLoad(url: () => string, perSecond: number): () => void {
  let timer: NodeJS.Timeout;
  const next = () => {
    // Exponential gaps make a Poisson process: independent customers.
    timer = setTimeout(
      () => {
        void visit(url());
        next();
      },
      (-Math.log(1 - Math.random()) * 1000) / perSecond,
    );
  };
  next();
  return () => clearTimeout(timer);
}

/** A customer who leaves without an answer is no error of the recorder. */
async function visit(url: string): Promise<void> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
  } catch {
    // The services' own metrics and logs tell.
  }
}
