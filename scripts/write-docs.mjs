// Writes what is generated from the code: .env.example, the tables of docs/configuration.md, docs/report.schema.json; of the chart the settings
// that its values may hold, and the table of its values; the chart's alerts as a file of rules for a Prometheus without operator.
import { readFileSync, writeFileSync } from 'node:fs';
import { chartSettings } from '../dist/src/config/chart-settings.js';
import { configurationTable, envExample } from '../dist/src/config/describe-settings.js';
import { reportJsonSchema } from '../dist/src/domain/report-json-schema.js';
import { valuesTable } from './chart-values-table.mjs';

/** Puts a table between the comments `begin …` and `end …` of a page. */
function writeTable(page, name, table) {
  const [before, , after] = readFileSync(page, 'utf8').split(new RegExp(`<!-- (?:begin|end) ${name} -->`));
  writeFileSync(page, `${before}<!-- begin ${name} -->\n\n${table}\n\n<!-- end ${name} -->${after}`);
}

writeTable('docs/configuration.md', 'settings', configurationTable());
writeFileSync('.env.example', envExample());
writeFileSync('docs/report.schema.json', reportJsonSchema());

const valuesSchema = JSON.parse(readFileSync('helm/values.schema.json', 'utf8'));
valuesSchema.properties.settings.properties = chartSettings();
writeFileSync('helm/values.schema.json', `${JSON.stringify(valuesSchema, null, 2)}\n`);
writeTable('helm/README.md', 'values', valuesTable(readFileSync('helm/values.yaml', 'utf8')));

// What the chart puts in for a release: here the job of examples/prometheus/prometheus.yml, and where the runbook lies in the checkout.
const [, ...alerts] = readFileSync('helm/files/alerts.yaml', 'utf8')
  .replaceAll('namespace="NAMESPACE"', 'job="rootnote"')
  .replaceAll('runbook_url: RUNBOOK', 'runbook: docs/operations.md')
  .split('\n');
const origin =
  '# Alerts about Rootnote itself, written by `npm run docs` from helm/files/alerts.yaml: change them there.';
writeFileSync('examples/prometheus/rootnote-alerts.yml', [origin, ...alerts].join('\n'));
