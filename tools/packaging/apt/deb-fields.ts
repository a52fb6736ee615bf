import { run } from '../../run/programs.ts';
import { CommandError } from '../../run/say.ts';
import { ARCHITECTURES } from './distributions.ts';

/** Version, architecture and dependencies of a package of Endcap. */
export async function readPackage(file: string) {
  const { code, stdout, stderr } = await run('dpkg-deb', ['--show', '--showformat', FORMAT, file]);
  const [name, version = '', architecture = '', ...needs] = stdout.split(' ');
  if (code !== 0) throw new CommandError(`endcap: ${file} is no Debian package: ${stderr.trim()}`);
  if (name !== 'endcap' || !ARCHITECTURES.includes(architecture)) {
    throw new CommandError(
      `endcap: ${file} is the package ${name} for ${architecture}. Expected endcap for amd64 or arm64`,
    );
  }
  return { file, version, architecture, needs: needs.join(' ') };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the format is dpkg's.
const FORMAT = '${Package} ${Version} ${Architecture} ${Depends}, ${Recommends}';
