import { run } from '../../run/programs.ts';
import { CommandError } from '../../run/say.ts';
import { ARCHITECTURES } from './distributions.ts';

/** In the description of a package that no store may get: its Electron is a third party's repackaging. */
export const FOR_TESTS_ONLY = 'FOR TESTS ONLY';

/** Version, architecture and dependencies of a package of Endcap, and whether it is for tests only. */
export async function readPackage(file: string) {
  const { code, stdout, stderr } = await run('dpkg-deb', ['--show', '--showformat', FORMAT, file]);
  const [fields = '', ...description] = stdout.split('\n');
  const [name, version = '', architecture = '', ...needs] = fields.split(' ');
  if (code !== 0) throw new CommandError(`endcap: ${file} is no Debian package: ${stderr.trim()}`);
  if (name !== 'endcap' || !ARCHITECTURES.includes(architecture)) {
    throw new CommandError(
      `endcap: ${file} is the package ${name} for ${architecture}. Expected endcap for amd64 or arm64`,
    );
  }
  const forTests = description.some((line) => line.includes(FOR_TESTS_ONLY));
  return { file, version, architecture, needs: needs.join(' '), forTests };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the format is dpkg's.
const FORMAT = '${Package} ${Version} ${Architecture} ${Depends}, ${Recommends}\n${Description}';
