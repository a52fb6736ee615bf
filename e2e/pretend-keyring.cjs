// @ts-nocheck It stands in for functions of Electron, whatever they are called with.
// Runs in main before the kiosk does: a keyring that opens what begins with ENDCAP_E2E_KEYRING.
const { safeStorage } = require('electron');

const mark = `${process.env.ENDCAP_E2E_KEYRING}:`;
safeStorage.isEncryptionAvailable = () => true;
safeStorage.getSelectedStorageBackend = () => 'gnome_libsecret';
safeStorage.encryptString = (text) => Buffer.from(mark + text);
safeStorage.decryptString = (sealed) => {
  const text = sealed.toString();
  if (!text.startsWith(mark)) throw new Error('it was not sealed here');
  return text.slice(mark.length);
};
