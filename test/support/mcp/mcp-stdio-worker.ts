import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { oddServer } from './odd-server.ts';

/** The odd server as a program. Argument `deaf`: it survives the end of its input and SIGTERM. */
const [mode] = process.argv.slice(2);

process.stderr.write('starting up\n');
if (mode === 'deaf') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
await oddServer().connect(new StdioServerTransport());
