import { validateDetailed } from 'node-cron';

const FIELDS: Readonly<Record<string, string>> = {
  minute: 'minute must be 0 to 59',
  hour: 'hour must be 0 to 23',
  dayOfMonth: 'day must be 1 to 31, in a month that has it',
  month: 'month must be 1 to 12 or a name such as jan',
  dayOfWeek: 'weekday must be 0 to 7 (0 and 7 are Sunday) or a name such as mon',
};

/** What is wrong with a cron expression of five fields, in words; nothing when it can be used. */
export function explainCron(text: string): readonly string[] {
  if (text.trim().split(/\s+/).length !== 5)
    return ['must have five fields: minute hour day month weekday, such as 0 8 * * 1-5'];
  const { valid, errors } = validateDetailed(text.trim());
  if (valid) return [];
  return errors.map(({ field, message }) => `is not a cron expression: ${FIELDS[field] ?? message}`);
}
