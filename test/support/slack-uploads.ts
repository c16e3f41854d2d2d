import type { Answer } from './slack-api.ts';

interface Upload {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly altText: string;
  bytes: Buffer | undefined;
}

/** The three steps of an upload: ask for a place, send the bytes, say where they are to be shown. A file that is not completed is seen by nobody. */
export class Uploads {
  readonly #origin: string;
  readonly #byId = new Map<string, Upload>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  begin(input: Record<string, unknown>): Answer {
    const length = Number(input['length']);
    const name = input['filename'];
    if (typeof name !== 'string' || name === '' || !Number.isInteger(length) || length < 1) {
      return { ok: false, error: 'invalid_arguments' };
    }
    const altText = typeof input['alt_txt'] === 'string' ? input['alt_txt'] : '';
    if (altText.length > 1000) return { ok: false, error: 'alt_txt_too_large' };
    const id = `F0${this.#byId.size + 1}`;
    this.#byId.set(id, { id, name, length, altText, bytes: undefined });
    return { ok: true, upload_url: `${this.#origin}/upload/${id}`, file_id: id };
  }

  /** HTTP status. The address is the permission: a token has no business here. */
  take(path: string, authorization: string | undefined, bytes: Buffer): number {
    const upload = this.#byId.get(path.replace('/upload/', ''));
    if (!upload || authorization !== undefined) return 404;
    if (bytes.length !== upload.length) return 400;
    upload.bytes = bytes;
    return 200;
  }

  complete(files: readonly { id: string; title?: string }[] | undefined) {
    const uploads = (files ?? []).map(({ id, title }) => ({ upload: this.#byId.get(id), title: title ?? '' }));
    if (uploads.length === 0) return undefined;
    const done = [];
    for (const { upload, title } of uploads) {
      if (upload?.bytes === undefined) return undefined;
      done.push({ id: upload.id, name: upload.name, title, altText: upload.altText, bytes: upload.bytes });
    }
    for (const { id } of done) this.#byId.delete(id);
    return done;
  }
}
