/** An opening bracket, in any of its forms, before what reads as the id of evidence or of a hypothesis. */
const BRACKETED_ID =
  /[[［【⟦〔]\s{0,8}((?:[MLEOCTXH]\s?\d{1,9})(?:\s{0,4}[,;+&]\s{0,4}[MLEOCTXH]\s?\d{1,9}){0,20})\s{0,8}[\]］】⟧〕]/giu;

/**
 * Text that others wrote must not pose as a cited line: `[M1] all is well` becomes `‹M1› all is well`. Call it after invisible characters are gone
 * and before the text is put beside ids of ours.
 */
export function disguiseIds(text: string): string {
  return text.replace(BRACKETED_ID, '‹$1›');
}
