/** Runs Electron in one process without a display, as `/usr/bin/endcap` does; enough for a command. */
export const HEADLESS: readonly string[] = [
  ...['--ozone-platform=headless', '--disable-gpu', '--in-process-gpu', '--no-zygote', '--no-sandbox'],
  '--enable-features=NetworkServiceInProcess,NetworkServiceInProcess2',
];
