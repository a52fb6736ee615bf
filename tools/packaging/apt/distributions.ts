/** The codenames of the version that kiosks take, and of the previous version, which all kiosks may take. */
export const CURRENT = 'endcap';
export const PREVIOUS = 'endcap-previous';
export const ARCHITECTURES = ['amd64', 'arm64'];

/**
 * The configuration of reprepro. A codename holds one version of a package, so there are two.
 * @param fingerprint of the key that signs
 */
export function distributions(fingerprint: string): string {
  return [
    { codename: CURRENT, what: 'the newest version', more: 'DebOverride: override\n' },
    { codename: PREVIOUS, what: 'the version before', more: '' },
  ]
    .map(
      ({ codename, what, more }) => `Origin: Endcap
Label: Endcap
Codename: ${codename}
Suite: ${codename}
Architectures: ${ARCHITECTURES.join(' ')}
Components: main
Description: Endcap, ${what}
SignWith: ${fingerprint}
${more}`,
    )
    .join('\n');
}

/** The field by which apt decides which kiosks take an update. It is not in the package itself. */
export function override(percent: number): string {
  return `endcap Phased-Update-Percentage ${percent}\n`;
}
