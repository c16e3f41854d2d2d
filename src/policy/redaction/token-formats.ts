/**
 * Token formats that announce themselves, as their vendors document them. A `body` starts with a literal of two characters or more;
 * lower bounds keep prose about a prefix readable, upper bounds keep a match linear.
 */
export interface TokenFormat {
  readonly type: string;
  readonly body: string;
}

const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';
const HEX = '[0-9a-f]';
const UUID = `${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}`;
const format = (type: string, body: string): TokenFormat => ({ type, body });

const CLOUDS: readonly TokenFormat[] = [
  format('aws-access-key', 'A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])'),
  format('aws-bedrock-key', 'ABSK[A-Za-z0-9+/]{100,160}={0,2}'),
  format('google-api-key', `AIza${WORD}{30,60}`),
  format('google-token', 'ya29\\.[A-Za-z0-9_.-]{20,2000}'),
  format('google-secret', `GOCSPX-${WORD}{20,60}`),
  format('google-refresh', `1//0${WORD}{30,200}`),
  format('alibaba-key', `LTAI${ALNUM}{16,26}(?!${ALNUM})`),
  format('tencent-key', `AKID${ALNUM}{32}(?!${ALNUM})`),
  format('yandex-key', `AQVN${WORD}{35,38}(?!${WORD})`),
  format('yandex-token', `(?:y[0-3]_${WORD}{50,60}|t1\\.[A-Z0-9a-z_-]{50,200}={0,2}\\.[A-Z0-9a-z_-]{80,100}={0,2})`),
  format('digitalocean-token', `do[opr]_v1_${HEX}{32,128}`),
  format('fly-token', 'fm[12][ar]?_[A-Za-z0-9+/=_-]{40,2000}'),
  format('fly-token', `fo1_${WORD}{40,50}`),
  format('heroku-token', `HRKU-${WORD}{30,100}`),
  format('scaleway-key', 'SCW(?:SECRET)?[A-Z0-9]{17,60}(?![A-Za-z0-9])'),
  format('netlify-token', `nf[pcoub]_${ALNUM}{36,60}`),
  format('render-key', `rnd_${ALNUM}{24,40}`),
  format('vercel-token', `vercel_blob_rw_${ALNUM}{10,30}_${ALNUM}{20,60}`),
  format('vercel-token', `vc[kpaicr]_${ALNUM}{24,80}`),
  format('cloudflare-token', `cf(?:ut|at|k)_${ALNUM}{40,80}`),
  format('cloudflare-ca-key', `v1\\.0-${HEX}{24}-${HEX}{120,160}`),
  format('akamai-token', 'akab-[a-z0-9]{16}-[a-z0-9]{16}'),
  format('scalingo-token', `tk-us-${WORD}{40,60}`),
  format('openshift-token', `sha256~${WORD}{40,50}`),
  format('rancher-token', 'token-[a-z0-9]{5}:[a-z0-9]{50,60}'),
  format('swarm-token', 'SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}'),
  format('tailscale-key', 'tskey-[a-z]{2,20}-[A-Za-z0-9-]{16,120}'),
  format('pulumi-token', `pul-${HEX}{40}`),
  format('infracost-key', `ico-${ALNUM}{32}`),
  format('prefect-key', 'pn[ub]_[a-zA-Z0-9]{36}'),
];

const SECRET_STORES: readonly TokenFormat[] = [
  format('vault-token', `hv[sbr]\\.${WORD}{20,300}`),
  format('vault-token', `[sbr]\\.(?<![\\w.]..)(?=[A-Za-z]{0,22}\\d)${ALNUM}{24}(?![A-Za-z0-9._-])`),
  format('doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{30,100}'),
  format('infisical-token', `st\\.${HEX}{24}\\.${HEX}{32}\\.${HEX}{32}`),
  format('onepassword-token', 'ops_eyJ[A-Za-z0-9+/=_-]{40,4000}'),
  format('onepassword-key', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'),
  format('age-key', 'AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,80}'),
  format('wallet-key', `[xyz]prv${ALNUM}{90,120}`),
];

const DATABASES: readonly TokenFormat[] = [
  format('databricks-token', `d(?:api|ose|kea)${HEX}{32}(?:-\\d{1,2})?(?![0-9A-Za-z])`),
  format('planetscale-token', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,100}'),
  format('supabase-token', `sb(?:p|_secret)_${WORD}{20,100}`),
  format('neon-key', `napi_${ALNUM}{40,80}`),
  format('atlas-secret', `mdb_sa_sk_${WORD}{30,60}`),
  format('ceph-key', 'AQ[A-Za-z0-9+/]{36}=='),
];

const CODE_AND_BUILDS: readonly TokenFormat[] = [
  format('github-token', `gh[pousr]_${ALNUM}{30,255}`),
  format('github-token', 'github_pat_[A-Za-z0-9_]{22,255}'),
  format('github-token', `v1\\.${HEX}{40}(?!${ALNUM})`),
  format('gitlab-token', 'gl(?:pat|ptt|dt|rtr|rt|cbt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.-]{20,300}'),
  format('gitlab-runner', `GR1348941${WORD}{20,60}`),
  format('bitbucket-token', 'AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=.-]{20,400}'),
  format('sourcegraph-token', 'sg[pd]_[A-Za-z0-9_]{36,120}'),
  format('sonar-token', `sq[upa]_${HEX}{40}`),
  format('npm-token', `npm_${ALNUM}{36,60}`),
  format('pypi-token', `pypi-${WORD}{50,400}`),
  format('ruby-gem-key', `rubygems_${HEX}{40,60}`),
  format('crates-token', `cio${ALNUM}{32}(?!${ALNUM})`),
  format('nuget-key', 'oy2[a-z0-9]{43}(?![A-Za-z0-9])'),
  format('php-package-token', `packagist_[uo][ru]t_${HEX}{60,80}`),
  format('clojars-token', 'CLOJARS_[0-9a-z]{50,70}'),
  format('docker-token', `dckr_[po]at_${WORD}{20,60}`),
  format('artifactory-key', `AKCp${ALNUM}{60,90}`),
  format('artifactory-token', `cmVmdGtu${ALNUM}{50,70}`),
  format('circleci-token', 'CCI(?:PAT|PRJ)_[A-Za-z0-9_]{30,120}'),
  format('buildkite-token', `bk(?:ua|at|aj|pt|ct)_${ALNUM}{30,120}`),
  format('postman-key', `PMAK-${HEX}{24}-${HEX}{34}`),
  format('expo-token', `expo_${WORD}{36,60}`),
];

const CHAT_AND_MAIL: readonly TokenFormat[] = [
  format('slack-token', 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,400}'),
  format('slack-token', 'x(?:app|wfp)-[A-Za-z0-9-]{20,400}'),
  format('twitch-token', 'oauth:[a-z0-9]{30}(?![A-Za-z0-9])'),
  format('facebook-token', `EAA[A-Za-z0-9]{80,300}(?!${ALNUM})`),
  format('messaging-key', `AAAA${WORD}{7}:APA91b${WORD}{100,200}`),
  format('twitter-token', 'AAAAAAAAAA[A-Za-z0-9%]{60,140}'),
  format('sendgrid-key', `SG\\.${WORD}{16,30}\\.${WORD}{30,60}`),
  format('mailgun-key', `key-${HEX}{32}(?!${ALNUM})`),
  format('brevo-key', `x(?:key|smtp)sib-${HEX}{40,80}-[A-Za-z0-9]{10,30}`),
  format('resend-key', `re_${ALNUM}{8}_${ALNUM}{20,30}(?!${ALNUM})`),
  format('mailersend-key', `mlsn\\.${HEX}{60,70}`),
  format('mandrill-key', `md-${WORD}{22}(?!${WORD})`),
  format('twilio-key', `SK${HEX}{32}(?!${ALNUM})`),
  format('hubspot-key', `pat-(?:na|eu|ap)\\d-${UUID}`),
  format('klaviyo-key', `pk_${HEX}{34}(?!${ALNUM})`),
  format('linear-key', `lin_(?:api|oauth)_${ALNUM}{32,80}`),
  format('notion-token', `(?:ntn|secret)_${ALNUM}{40,60}`),
  format('airtable-token', `pat${ALNUM}{14}\\.${HEX}{64}`),
  format('asana-token', `[12]/\\d{14,18}(?:/\\d{14,18})?:${HEX}{32}`),
  format('figma-token', `fig[dou]_?${WORD}{36,80}`),
  format('typeform-token', `tfp_[A-Za-z0-9_.=-]{40,80}`),
  format('dropbox-token', `sl\\.(?:u\\.)?${WORD}{100,1500}`),
  format('contentful-token', `CFPAT-${WORD}{40,50}`),
  format('readme-key', 'rdme_[a-z0-9]{60,80}'),
  format('frameio-token', `fio-u-${WORD}{60,70}`),
  format('mapbox-token', `[st]k\\.eyJ${ALNUM}{40,200}\\.${WORD}{20,30}`),
  format('intercom-token', 'dG9rO[A-Za-z0-9+/=]{40,80}'),
];

const PAYMENT: readonly TokenFormat[] = [
  format('stripe-key', `[sr]k_(?:live|test|prod)_${ALNUM}{16,250}`),
  format('webhook-secret', 'whsec_[A-Za-z0-9+/=]{24,120}'),
  format('square-token', `sq0(?:atp|csp|idp)-${WORD}{20,60}`),
  format('square-token', `EAAA[A-Za-z0-9_-]{56,70}(?!${WORD})`),
  format('paypal-token', `access_token\\$(?:production|sandbox)\\$[a-z0-9]{10,20}\\$${HEX}{32}`),
  format('braintree-key', `(?:production|sandbox)_[a-z0-9]{8}_[a-z0-9]{16}(?!${ALNUM})`),
  format('adyen-key', `AQE[A-Za-z0-9+/_=.^-]{60,200}`),
  format('plaid-token', `access-(?:production|sandbox|development)-${UUID}`),
  format('shopify-token', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,64}'),
  format('razorpay-key', `rzp_(?:live|test)_${ALNUM}{14,40}`),
  format('flutterwave-key', `FLWSECK(?:_TEST)?-${ALNUM}{12,40}(?:-X)?`),
  format('payment-key', `(?:live|test)_${ALNUM}{30,40}(?!${ALNUM})`),
  format('klarna-key', `klarna_(?:live|test)_api_[A-Za-z0-9+/!?*.=_-]{30,120}`),
  format('shippo-token', `shippo_(?:live|test)_${HEX}{40}`),
  format('duffel-token', `duffel_(?:live|test)_${WORD}{40,50}`),
  format('easypost-key', `EZ[AT]K${ALNUM}{54}`),
  format('onfido-token', `api_(?:live|sandbox)(?:_(?:us|ca))?\\.${WORD}{8,16}\\.${WORD}{28,40}`),
];

const MODELS: readonly TokenFormat[] = [
  format('model-key', `sk-(?:[a-z]{2,10}-)?${WORD}{24,400}`),
  format('model-key', `sk_${HEX}{40,64}(?!${ALNUM})`),
  format('model-key', `(?:csk|fc|pa|tvly)-(?:dev-|prod-)?(?=${WORD}{0,40}\\d)${ALNUM}{30,60}(?!${ALNUM})`),
  format('groq-key', `gsk_${ALNUM}{40,80}`),
  format('xai-key', `xai-${WORD}{60,120}`),
  format('perplexity-key', `pplx-${ALNUM}{40,80}`),
  format('replicate-token', `r8_${ALNUM}{30,60}`),
  format('huggingface-token', `(?:api_org|hf)_${ALNUM}{30,60}`),
  format('fireworks-key', `fw_${ALNUM}{20,40}(?!${ALNUM})`),
  format('nvidia-key', `nvapi-${WORD}{50,90}`),
  format('langsmith-key', `lsv2_(?:pt|sk)_${HEX}{32}_${HEX}{8,12}`),
  format('pinecone-key', `pcsk_${ALNUM}{4,8}_${ALNUM}{50,70}`),
];

const MONITORING: readonly TokenFormat[] = [
  format('grafana-token', `glsa_${ALNUM}{32}_[0-9a-fA-F]{8}`),
  format('grafana-token', 'glc_[A-Za-z0-9+/=]{32,400}'),
  format('grafana-token', 'eyJrIjoi[A-Za-z0-9]{40,200}={0,2}'),
  format('newrelic-key', 'NR(?:AK|JS|AA|II|IQ|AL|RA)-[A-Za-z0-9_-]{19,64}'),
  format('sentry-token', 'sntry[sua]_[A-Za-z0-9+/=_-]{40,400}'),
  format('dynatrace-token', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{8,24}\\.[A-Z0-9]{40,80}'),
  format('honeycomb-key', 'hc[a-z]ik_[a-z0-9]{50,64}'),
  format('axiom-token', `xa(?:at|pt)-${UUID}`),
  format('posthog-key', `ph[xs]_${ALNUM}{40,50}`),
  format('launchdarkly-key', `(?:sdk|api|rel)-${UUID}`),
  format('pagerduty-token', `pdus\\+_[A-Za-z0-9_-]{20,80}`),
  format('statsig-key', `secret-${ALNUM}{32,50}(?!${ALNUM})`),
  format('datadog-key', `dd(?:app|pat|sat)_${WORD}{30,70}`),
  format('gateway-key', `zpka_${HEX}{32}_${HEX}{8}`),
];

/** Signed or encrypted claims; a JSON Web Token that was cut still carries them. */
const CLAIMS: readonly TokenFormat[] = [
  format('jwt', `eyJ${WORD}{8,4000}\\.${WORD}{8,12000}(?:\\.${WORD}{0,12000}){0,3}`),
  format('jwt', `eyJ${WORD}{30,4000}\\.\\.${WORD}{8,100}\\.${WORD}{8,12000}\\.${WORD}{8,100}`),
  format('paseto', `v[1-4]\\.(?:local|public)\\.${WORD}{40,8000}(?:\\.${WORD}{1,2000})?`),
];

export const TOKEN_FORMATS: readonly TokenFormat[] = [
  ...CLAIMS,
  ...CLOUDS,
  ...SECRET_STORES,
  ...DATABASES,
  ...CODE_AND_BUILDS,
  ...CHAT_AND_MAIL,
  ...PAYMENT,
  ...MODELS,
  ...MONITORING,
];

/** Formats whose literal stands inside; a cheap look for it comes first. */
export const INNER_FORMATS: readonly (TokenFormat & { readonly needle: RegExp })[] = [
  { type: 'azure-secret', needle: /\dQ~/, body: '[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,40}' },
  { type: 'azure-devops-token', needle: /AZDO/, body: `${ALNUM}{76}AZDO${ALNUM}{4}` },
  { type: 'terraform-token', needle: /\.atlasv1\./, body: `${ALNUM}{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40,100}` },
  { type: 'telegram-token', needle: /\d:AA/, body: `(?:bot)?[0-9]{8,11}:AA${WORD}{32,36}` },
  { type: 'mailchimp-key', needle: /-us\d(?<=[0-9a-f]{32}-us\d)/, body: `${HEX}{32}-us[0-9]{1,2}` },
  { type: 'newrelic-key', needle: /[0-9a-f]NRAL/, body: `${HEX}{36}NRAL` },
  {
    type: 'discord-token',
    needle: /\.[\w-]{6}\.[\w-]{27}/,
    body: '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}',
  },
];
