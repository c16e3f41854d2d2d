import { z } from 'zod';

/** The kinds of value that settings take. All read text, as environment variables hold it. */
export const flag = z
  .enum(['true', 'false', '1', '0', 'yes', 'no'])
  .transform((value) => value === 'true' || value === '1' || value === 'yes');
export const integer = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};
export const usDollars = z.coerce
  .number({ error: 'must be an amount in US dollars, such as 0.5' })
  .positive({ error: 'must be an amount above 0, such as 0.5' })
  .max(100_000, { error: 'must be at most 100000' });
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
export const url = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .transform((value) => value.replace(/\/+$/, ''));
/** Goes into a header: a line end in it, as files often have, would break the request. */
export const token = z.string().regex(/^\S+$/, 'must be one word, without blanks or line ends');
export const basicAuth = z.string().regex(/^[^:]+:.+$/s, 'must have the form user:password');
/** Up to ten points in time, each once, in order; none for `none`, since an empty value counts as unset. */
export const minutes = z.string().transform((value, context) => {
  const all = (value.trim() === 'none' ? '' : value).split(',').filter((item) => item.trim() !== '');
  const times = [...new Set(all.map(Number))].toSorted((a, b) => a - b);
  if (times.length <= 10 && times.every((time) => time >= 1 && time <= 1440)) return times;
  context.addIssue({
    code: 'custom',
    message: 'must be up to 10 numbers of minutes from 1 to 1440, such as 5,15, or none',
  });
  return z.NEVER;
});
