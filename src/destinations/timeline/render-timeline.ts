import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { Report } from '../../domain/report.ts';
import { timelineSvg } from './timeline-svg.ts';

/** Undefined when it cannot be drawn: a picture is a help, never a reason to fail. */
export type RenderTimeline = (report: Report) => Promise<Buffer | undefined>;

interface Renderer {
  readonly fonts: readonly Uint8Array[];
}

const require = createRequire(import.meta.url);
let renderer: Promise<Renderer> | undefined;

/** The timeline of a report as PNG, 1200 pixels wide. What is drawn is bounded (layout.ts), and so is the time: some tenths of a second of CPU. */
export const renderTimeline: RenderTimeline = async (report) => {
  try {
    // Once a process: the library may not be initialised twice.
    renderer ??= load();
    const { fonts } = await renderer;
    return toPng(timelineSvg(report), fonts);
  } catch {
    return undefined;
  }
};

async function load(): Promise<Renderer> {
  const [wasm, ...fonts] = await Promise.all(
    [
      require.resolve('@resvg/resvg-wasm/index_bg.wasm'),
      require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
      require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
      require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Oblique.ttf'),
    ].map((path) => readFile(path)),
  );
  await initWasm(new Uint8Array(wasm ?? []));
  return { fonts };
}

/** The library's memory is its own: what it gave has to be given back. */
function toPng(svg: string, fonts: readonly Uint8Array[]): Buffer {
  const drawing = new Resvg(svg, { font: { fontBuffers: [...fonts], defaultFontFamily: 'DejaVu Sans' } });
  const image = drawing.render();
  try {
    return Buffer.from(image.asPng());
  } finally {
    image.free();
    drawing.free();
  }
}
