/**
 * Remembers what a pure function gave for an object and some texts, as long as the object lives. For statements and lists of columns
 * that are the same for every session: putting them together again takes as long as carrying them out.
 */
export function oncePer<Key extends object, Texts extends readonly string[], Value>(
  make: (key: Key, ...texts: Texts) => Value,
): (key: Key, ...texts: Texts) => Value {
  const known = new WeakMap<Key, Map<string, Value>>();
  return (key, ...texts) => {
    const values = known.get(key) ?? new Map<string, Value>();
    known.set(key, values);
    const name = texts.join('\0');
    const value = values.has(name) ? (values.get(name) as Value) : make(key, ...texts);
    values.set(name, value);
    return value;
  };
}
