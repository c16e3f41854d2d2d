import { DEFINITIONS } from './definitions.ts';
import { runService } from './service.ts';

const [name, configFile] = process.argv.slice(2);
const definition = DEFINITIONS.find((candidate) => candidate.name === name);
if (!definition || configFile === undefined) {
  throw new Error(`usage: main.js ${DEFINITIONS.map((candidate) => candidate.name).join('|')} CONFIG.json`);
}
runService(definition, configFile);
