// Writes what is generated from the code: .env.example, the tables of docs/configuration.md, docs/report.schema.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { configurationTable, envExample } from '../dist/src/config/describe-settings.js';
import { reportJsonSchema } from '../dist/src/domain/report-json-schema.js';

const page = 'docs/configuration.md';
const [head, , tail] = readFileSync(page, 'utf8').split(/<!-- (?:begin|end) settings -->/);
writeFileSync(page, `${head}<!-- begin settings -->\n\n${configurationTable()}\n\n<!-- end settings -->${tail}`);
writeFileSync('.env.example', envExample());
writeFileSync('docs/report.schema.json', reportJsonSchema());
