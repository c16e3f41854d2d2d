import { isMasked, type RedactionPass } from './placeholder.ts';

/**
 * Token formats that announce themselves, as their vendors document them. `needle` is a literal every token of the format holds (a
 * cheap test before the pattern runs); `body` is matched after a left border. Lower bounds keep prose about a prefix readable; upper
 * bounds keep the match linear.
 */
interface PrefixRule {
  readonly type: string;
  readonly needle: string;
  readonly body: string;
}

const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';
const rule = (type: string, needle: string, body: string): PrefixRule => ({ type, needle, body });

const RULES: readonly PrefixRule[] = [
  // Clouds and infrastructure
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((id) => rule('aws-access-key', id, `${id}[A-Z0-9]{16}(?![A-Z0-9])`)),
  rule('google-api-key', 'AIza', `AIza${WORD}{30,60}`),
  rule('google-token', 'ya29.', `ya29\\.[A-Za-z0-9_.-]{20,2000}`),
  rule('google-secret', 'GOCSPX-', `GOCSPX-${WORD}{20,60}`),
  rule('google-refresh', '1//', `1//0${WORD}{30,200}`),
  rule('azure-secret', 'Q~', `[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,40}`),
  rule('alibaba-key', 'LTAI', `LTAI${ALNUM}{16,26}`),
  rule('digitalocean-token', '_v1_', `do[opr]_v1_[0-9a-f]{32,128}`),
  rule('fly-token', 'fm', `fm[12][ar]?_[A-Za-z0-9+/=_-]{40,2000}`),
  rule('heroku-token', 'HRKU-', `HRKU-${WORD}{30,100}`),
  rule('scaleway-key', 'SCW', `SCWSECRET[A-Z0-9]{10,60}`),
  rule('netlify-token', 'nf', `nf[pcoub]_${ALNUM}{36,60}`),
  rule('supabase-token', 'sb', `sb(?:p|_secret)_${WORD}{20,100}`),
  rule('planetscale-token', 'pscale_', `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,100}`),
  rule('terraform-token', '.atlasv1.', `${ALNUM}{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40,100}`),
  rule('vault-token', 'hv', `hv[sbr]\\.${WORD}{20,300}`),
  rule('doppler-token', 'dp.', `dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{30,100}`),
  rule('pulumi-token', 'pul-', `pul-[0-9a-f]{40}`),
  rule('tailscale-key', 'tskey-', `tskey-[a-z]{2,20}-[A-Za-z0-9-]{16,120}`),
  rule('age-key', 'AGE-SECRET-KEY-', `AGE-SECRET-KEY-1[A-Z0-9]{40,80}`),
  rule('onepassword-token', 'ops_', `ops_eyJ[A-Za-z0-9+/=_-]{40,4000}`),
  rule('databricks-token', 'd', `d(?:api|ose|kea)[0-9a-f]{32}(?:-\\d{1,2})?`),
  // Source control, packages and delivery
  rule('github-token', 'gh', `gh[pousr]_${ALNUM}{30,255}`),
  rule('github-token', 'github_pat_', `github_pat_[A-Za-z0-9_]{22,255}`),
  rule('gitlab-token', 'gl', `gl(?:pat|ptt|dt|rt|rtr|cbt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.-]{20,300}`),
  rule('gitlab-runner', 'GR1348941', `GR1348941${WORD}{20,60}`),
  rule('bitbucket-token', 'AT', `AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=.-]{20,400}`),
  rule('npm-token', 'npm_', `npm_${ALNUM}{36,60}`),
  rule('pypi-token', 'pypi-', `pypi-${WORD}{50,400}`),
  rule('rubygems-key', 'rubygems_', `rubygems_[0-9a-f]{40,60}`),
  rule('crates-token', 'cio', `cio${ALNUM}{32}`),
  rule('docker-token', 'dckr_', `dckr_[po]at_${WORD}{20,60}`),
  rule('artifactory-key', 'AKCp', `AKCp${ALNUM}{60,90}`),
  rule('circleci-token', 'CCI', `CCI(?:PAT|PRJ)_[A-Za-z0-9_]{30,120}`),
  rule('buildkite-token', 'bk', `bk(?:ua|at|aj|pt|ct)_${ALNUM}{30,120}`),
  rule('sourcegraph-token', 'sg', `sg[pd]_[A-Za-z0-9_]{36,120}`),
  rule('clojars-token', 'CLOJARS_', `CLOJARS_[0-9a-z]{50,70}`),
  rule('postman-key', 'PMAK-', `PMAK-[0-9a-f-]{50,80}`),
  // Chat, mail and trackers
  rule('slack-token', 'xox', `xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,400}`),
  rule('slack-token', 'xapp-', `xapp-[A-Za-z0-9-]{20,400}`),
  rule('telegram-token', ':AA', `(?:bot)?[0-9]{8,11}:AA${WORD}{32,36}`),
  rule('sendgrid-key', 'SG.', `SG\\.${WORD}{16,30}\\.${WORD}{30,60}`),
  rule('mailgun-key', 'key-', `key-[0-9a-f]{32}`),
  rule('mailchimp-key', '-us', `[0-9a-f]{32}-us[0-9]{1,2}`),
  rule('brevo-key', 'xkeysib-', `xkeysib-[A-Za-z0-9-]{40,120}`),
  rule('twilio-key', 'SK', `SK[0-9a-f]{32}`),
  rule('linear-key', 'lin_', `lin_(?:api|oauth)_${ALNUM}{32,80}`),
  rule('notion-token', 'ntn_', `ntn_${ALNUM}{40,60}`),
  rule('airtable-token', 'pat', `pat${ALNUM}{14}\\.[0-9a-f]{64}`),
  rule('figma-token', 'figd_', `figd_${WORD}{30,80}`),
  // Payment and commerce
  rule('stripe-key', 'k_', `[sr]k_(?:live|test|prod)_${ALNUM}{16,250}`),
  rule('webhook-secret', 'whsec_', `whsec_[A-Za-z0-9+/=]{24,120}`),
  rule('square-token', 'sq0', `sq0(?:atp|csp|idp)-${WORD}{20,60}`),
  rule('shopify-token', 'shp', `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,64}`),
  rule('razorpay-key', 'rzp_', `rzp_(?:live|test)_${ALNUM}{14,40}`),
  // Models
  rule('model-key', 'sk-', `sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{24,400}`),
  rule('groq-key', 'gsk_', `gsk_${ALNUM}{40,80}`),
  rule('xai-key', 'xai-', `xai-${WORD}{60,120}`),
  rule('perplexity-key', 'pplx-', `pplx-${ALNUM}{40,80}`),
  rule('replicate-token', 'r8_', `r8_${ALNUM}{30,60}`),
  rule('huggingface-token', 'hf_', `(?:api_org|hf)_${ALNUM}{30,60}`),
  rule('nvidia-key', 'nvapi-', `nvapi-${WORD}{50,90}`),
  rule('langsmith-key', 'lsv2_', `lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,12}`),
  // Monitoring
  rule('grafana-token', 'glsa_', `glsa_${ALNUM}{32}_[0-9a-fA-F]{8}`),
  rule('grafana-token', 'glc_', `glc_[A-Za-z0-9+/=]{32,400}`),
  rule('newrelic-key', 'NR', `NR(?:AK|JS|AA|II|IQ|AL|RA)-[A-Za-z0-9-]{19,64}`),
  rule('sentry-token', 'sntry', `sntry[su]_[A-Za-z0-9+/=_-]{40,400}`),
  rule('dynatrace-token', 'dt0', `dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{40,80}`),
  // Addresses that are themselves the credential
  rule(
    'webhook-url',
    'hooks.slack',
    `https://hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,200}`,
  ),
  rule('webhook-url', '/api/webhooks/', `https://discord(?:app)?\\.com/api/webhooks/[0-9]{15,22}/${WORD}{40,100}`),
  rule('webhook-url', '/webhookb2/', `https://[a-z0-9.-]{1,60}/webhookb2/[A-Za-z0-9@/-]{40,300}`),
  // JSON Web Tokens, signed or encrypted; a cut one still carries its claims
  rule('jwt', 'eyJ', `eyJ${WORD}{8,4000}\\.${WORD}{8,12000}(?:\\.${WORD}{0,12000}){0,3}`),
];

/** A token may follow anything but an alphanumeric; escapes (`\n`, `%3D`) end in one and still are borders. */
const LEFT_BORDER = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf])|(?<=%[0-9A-Fa-f]{2}))';

const COMPILED = RULES.map(({ type, needle, body }) => ({
  type,
  needle,
  pattern: new RegExp(`${LEFT_BORDER}${body}`, 'g'),
}));

export const prefixPass: RedactionPass = (text, mask) => {
  let redacted = text;
  for (const { type, needle, pattern } of COMPILED) {
    if (!redacted.includes(needle)) continue;
    redacted = redacted.replace(pattern, (token) => (isMasked(token) ? token : mask(type, token)));
  }
  return redacted;
};
