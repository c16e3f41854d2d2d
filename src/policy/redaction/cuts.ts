import { isMasked, type RedactionPass } from './placeholder.ts';

/** How everything that cuts a text here marks the cut. */
const CUT = '…';

/**
 * Beginnings that say by themselves that a secret follows. Short ones (`SK`, `AT`) are left out: with the rest of the token missing they
 * are ordinary letters.
 */
const BEGINNINGS = [
  'A[KSBC](?:IA|CA)',
  'AIza',
  'ya29\\.',
  'GOCSPX-',
  'gh[pousr]_',
  'github_pat_',
  'gl(?:pat|ptt|dt|rt|rtr|cbt|ft|agent)-',
  'npm_',
  'pypi-',
  'dckr_[po]at_',
  'xox[a-z]-',
  'xapp-',
  'SG\\.',
  'sk-',
  '[sr]k_(?:live|test|prod)_',
  'whsec_',
  'hv[sbr]\\.',
  'hf_',
  'glsa_',
  'glc_',
  'AGE-SECRET-KEY-',
  'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/',
  'eyJ',
];
const CUT_TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${BEGINNINGS.join('|')})[\\w.+/=-]{2,400}(?=${CUT})`, 'g');
/** The password of an address whose host is cut off; digits alone are a port. */
const CUT_PASSWORD = new RegExp(
  `(?<=://[^\\s:/@"']{0,64}:)(?!\\d{1,5}${CUT})[^\\s/@"'\\\\${CUT}]{2,200}(?=${CUT})`,
  'g',
);

/**
 * Masks the first half of a token at a cut. Whole tokens are matched by their length and form, which a cut destroys; texts arrive that
 * others have cut before anybody could redact them.
 */
export const cutPass: RedactionPass = (text, mask) => {
  if (!text.includes(CUT)) return text;
  return text
    .replace(CUT_TOKEN, (token) => (isMasked(token) ? token : mask('cut-token', token)))
    .replace(CUT_PASSWORD, (password) => (isMasked(password) ? password : mask('url-password', password)));
};
