/**
 * The entry that makes a Linux desktop start the kiosk with its session (XDG
 * autostart).
 *
 * @param command the program and its arguments
 */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Endcap',
    'Comment=Plays the ads of this kiosk',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/**
 * The entry with this program in place of the one that `autostartEntry` wrote into it. Its arguments stay, and so does a
 * command without quotes, which is an operator's own.
 */
export const withProgram = (entry: string, program: string): string =>
  entry.replace(/^Exec=".*?"(?= "|$)/m, () => `Exec=${quoted(program)}`);

/** Whether a desktop that reads this entry starts its program. */
export function isEntryOn(entry: string): boolean {
  const value = (key: string) => new RegExp(`^${key}\\s*=\\s*(.*?)\\s*$`, 'm').exec(entry)?.[1];
  return (
    value('Exec') !== undefined &&
    value('Hidden') !== 'true' &&
    value('X-GNOME-Autostart-enabled') !== 'false'
  );
}

/** An argument as the desktop entry specification wants it: in quotes, four characters escaped, `%` doubled. */
function quoted(argument: string): string {
  // Escaped twice: once as a quoted argument, and once as a string value of the file.
  return `"${argument
    .replace(/["`$\\]/g, '\\$&')
    .replace(/\\/g, '\\\\')
    .replace(/%/g, '%%')
    .replace(/\n/g, ' ')}"`;
}
