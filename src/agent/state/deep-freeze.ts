export type DeepReadonly<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** What has been frozen to its ground: histories grow at the end, and their old part need not be walked again. */
const frozen = new WeakSet<object>();

/** Freezes plain objects and lists, all the way down, and returns `value`. Instances of classes are left alone: they are not data. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value !== 'object' || value === null || frozen.has(value)) return value as DeepReadonly<T>;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value as DeepReadonly<T>;
  Object.freeze(value);
  frozen.add(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value as DeepReadonly<T>;
}
