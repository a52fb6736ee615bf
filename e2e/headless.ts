/** Electron in one process without display: enough for a command of the program, as `/usr/bin/endcap` calls it. */
export const HEADLESS: readonly string[] = [
  ...['--ozone-platform=headless', '--disable-gpu', '--in-process-gpu', '--no-zygote', '--no-sandbox'],
  '--enable-features=NetworkServiceInProcess,NetworkServiceInProcess2',
];
