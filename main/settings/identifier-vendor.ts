/** Which advertising identifier a device of this operating system has, or null for neither (rule 20). */
export function identifierVendor(os: string): 'android' | 'apple' | null {
  const name = os.trim().toLowerCase();
  if (name.startsWith('android')) return 'android';
  return /^(ios|ipados|tvos|watchos|apple)/.test(name) ? 'apple' : null;
}
