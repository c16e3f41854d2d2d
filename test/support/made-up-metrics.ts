/** One series: its value at so many seconds before the end (a negative number), or nothing. */
export interface MadeUpSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly at: (second: number) => number | undefined;
}

/** In OpenMetrics text, a sample every `stepS` for `hours` up to `endMs`, as `promtool tsdb create-blocks-from openmetrics` reads it. */
export function openMetricsText(all: readonly MadeUpSeries[], endMs: number, hours: number, stepS = 60): string {
  const names = [...new Set(all.map(({ name }) => name))];
  const lines: string[] = [];
  for (const name of names) {
    lines.push(`# TYPE ${name} unknown`);
    for (const { labels, at } of all.filter((one) => one.name === name)) {
      const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      for (let second = -hours * 3600; second <= 0; second += stepS) {
        const value = at(second);
        if (value !== undefined) lines.push(`${name}{${pairs.join(',')}} ${value} ${endMs / 1000 + second}`);
      }
    }
  }
  return `${lines.join('\n')}\n# EOF\n`;
}

/** A counter that grows by `perSecond` of each second, from far away. */
export function counting(perSecond: (second: number) => number, hours: number, stepS = 60): MadeUpSeries['at'] {
  const totals = new Map<number, number>();
  let total = 1000;
  for (let second = -hours * 3600; second <= 0; second += stepS) {
    total += perSecond(second) * stepS;
    totals.set(second, total);
  }
  return (second) => totals.get(second);
}
