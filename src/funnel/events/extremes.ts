/** As `Math.max(...numbers)`, which fails on lists too long to be arguments; -Infinity for none. */
export function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), -Infinity);
}

/** As `Math.min(...numbers)`; Infinity for none. */
export function smallest(numbers: readonly number[]): number {
  return numbers.reduce((least, number) => Math.min(least, number), Infinity);
}
