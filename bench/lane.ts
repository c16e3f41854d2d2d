import { createConnection, type Socket } from 'node:net';

export interface Answer {
  /** 0: the connection broke first. */
  readonly status: number;
  readonly body: string;
}

const END_OF_HEAD = '\r\n\r\n';
const LONGEST_READ = 4096;
const LENGTH = /^content-length: (\d+)\r?$/im;

/**
 * One kept connection that carries one request at a time. Knows of HTTP only what the receivers of the benchmark answer: sender and receiver share
 * the machine's cores, and with a real client most of the time would go to the sender.
 */
export class Lane {
  readonly #head: string;
  readonly #socket: Socket;
  #received = '';
  #settle: ((answer: Answer) => void) | undefined;

  constructor(port: number, path: string) {
    this.#head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: `;
    const read = Buffer.alloc(LONGEST_READ);
    const take = (length: number): boolean => {
      this.#take(read.toString('latin1', 0, length));
      return true;
    };
    // Always into the same memory, and without a stream: the less the sender needs, the less the receivers wait for it.
    this.#socket = createConnection({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: { buffer: read, callback: take },
    });
    this.#socket.on('error', () => this.#answer({ status: 0, body: '' }));
    this.#socket.on('close', () => this.#answer({ status: 0, body: '' }));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Never rejects. `text` is ASCII. */
  post(text: string): Promise<Answer> {
    return new Promise((resolve) => {
      if (!this.isOpen) {
        resolve({ status: 0, body: '' });
        return;
      }
      this.#settle = resolve;
      this.#socket.write(`${this.#head}${text.length}${END_OF_HEAD}${text}`, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const body = this.#received.slice(end + END_OF_HEAD.length);
    if (body.length < Number(LENGTH.exec(head)?.[1] ?? 0)) return;
    this.#received = '';
    this.#answer({ status: Number(head.slice(9, 12)), body });
  }

  #answer(answer: Answer): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }
}
