/** Brand names that the rule for capitals would take apart. */
const BRANDS = /PostgreSQL|MySQL|RabbitMQ|CoreDNS|OOMKill|DaemonSet|StatefulSet|ReplicaSet/g;

/** Says nothing of what is wrong, or stands in every rule set's names. */
const EMPTY = new Set(
  `a about above all alert am an and any are as at bad be been below broken but by can critical current for from get got had has have high
  higher host how if in instance into is issue it its k8s kube kubernetes less low lower many may minute more most much near no not of off on one or other out over
  per run running service several since so soon still such system than that the their them then there they this to too under up usual very warning was were which while will with within without wrong`.split(
    /\s+/,
  ),
);

/** Alerts are untrusted and may be long; what they are about stands at the beginning. */
const MAX_TEXT = 4000;

/** The telling words of a text in lower case, each once: capitals part words (`KubePodCrashLooping`), endings of number and tense are taken off. */
export function wordsOf(text: string): readonly string[] {
  const parted = text
    .slice(0, MAX_TEXT)
    .replace(BRANDS, (brand) => ` ${brand.toLowerCase()} `)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
  const words = parted.split(/[^a-z0-9]+/).filter((word) => word.length > 1 && !/^\d+$/.test(word) && !EMPTY.has(word));
  return [...new Set(words.map(stem))];
}

/** Plural, `-ing`, `-ed`, `-ion` and a last `e` off, so that filling, fills and filled are one word. Rough: both sides are treated alike. */
function stem(word: string): string {
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^suix])s$/, '$1');
  const base = /[aeiouy].*(?:ing|ed|ion)$/.test(singular) ? singular.replace(/(?:ing|ed|ion)$/, '') : singular;
  const kept = base.length >= 3 ? base : singular;
  return kept.length > 4 ? kept.replace(/e$/, '') : kept;
}
