import type { ActionName, SetUpField } from '../../../shared/admin';

export interface Sentences {
  readonly actions: Readonly<Record<ActionName, { readonly name: string; readonly about: string }>>;
  /** By the code of an error; the program's own words are shown beneath. */
  readonly problems: Readonly<Record<string, { readonly what: string; readonly todo: string }>>;
  readonly fields: Readonly<Record<SetUpField, { readonly label: string; readonly hint: string }>>;
}

export const ENGLISH: Sentences = {
  actions: {
    pause: { name: 'Pause', about: 'For maintenance; shoppers see a card; ends by itself' },
    resume: { name: 'Resume playing', about: 'Ends the pause now' },
    skip: { name: 'Next ad', about: 'Skips what would come now' },
    refresh: { name: 'Refresh content', about: 'Asks the service for a new playlist' },
    sound: { name: 'Sound', about: 'Volume of videos' },
    display: { name: 'Display', about: 'On or off until its hours change next' },
    'clear-media': { name: 'Clear media', about: 'Never what plays; the rest is fetched anew' },
    'connection-test': { name: 'Connection test', about: 'Asks every part of the service; stores nothing' },
    'restart-player': { name: 'Restart player', about: 'Takes some seconds' },
    'restart-kiosk': { name: 'Restart kiosk', about: 'The whole machine; takes a minute or two' },
    leave: { name: 'Leave to desktop', about: 'Ends the player until it is started again' },
    'change-pin': { name: 'Change PIN', about: 'Everybody here needs the new one' },
    'set-up': { name: 'Set-up', about: 'Service, credentials, player' },
    export: { name: 'Export proof of play', about: 'To a USB drive or the data folder' },
    autostart: { name: 'Start with the machine', about: 'Comes up by itself when somebody signs in' },
  },
  problems: {
    'books-failing': {
      what: 'The books cannot be written, so no ad may play.',
      todo: 'Restart the kiosk. If it comes back, its disk has to be checked.',
    },
    'books-started-anew': {
      what: 'New books were begun: it is not clear which of the existing ones belong to these settings.',
      todo: 'If service, project or player are new, nothing. Otherwise tell the operator: caps count from now on.',
    },
    'settings-unusable': {
      what: 'The settings file cannot be used any more.',
      todo: 'The settings of the last start stay in force. Correct the file, or undo the last change.',
    },
    'remote-settings-set-aside': {
      what: 'The settings that the fleet’s operator sent do not fit this kiosk, and are not in force.',
      todo: 'Tell the operator: the kiosk plays by its own file until others are sent.',
    },
    'safe-start': {
      what: 'The kiosk ended unexpectedly three times within a minute. It plays stored ads without network.',
      todo: 'Wait: after ten minutes it uses the network again by itself. If this comes back, send the log to support.',
    },
    'proof-set-aside': {
      what: 'The receiver of proof of play rejects a part of it.',
      todo: 'Tell the operator: these plays are kept, and sent again every day.',
    },
    'proof-waiting': {
      what: 'Proof of play has not left the kiosk for more than a day.',
      todo: 'Check the network. If ads arrive, tell the operator: nothing is lost, but the receiver does not take it.',
    },
    'fleet-link': {
      what: 'The live link to the operator has had no connection for an hour.',
      todo: 'Check the network. If ads arrive, tell the operator: the kiosk goes on playing, but takes no commands.',
    },
    'new-key-other-machine': {
      what: 'This disk ran on another machine before. The kiosk has a key of its own now.',
      todo: 'Tell the operator. Proof of play of the other machine is sent by that machine.',
    },
    'new-key-key-lost': {
      what: 'The key of this kiosk was lost. It has a new one.',
      todo: 'Tell the operator: exports and proof of play are signed with the new key.',
    },
    'system-clock-wrong': {
      what: 'The clock of this machine is wrong, so the service cannot be reached.',
      todo: 'Set the date and the time of the machine. If it forgets them when it is off, its battery has to be changed.',
    },
    'unreachable-name': {
      what: 'The address cannot be found.',
      todo: 'Check the network cable or Wi-Fi, and the spelling of the address.',
    },
    'unreachable-connection': {
      what: 'No connection.',
      todo: 'Check the network cable or Wi-Fi, the store’s firewall and the address.',
    },
    'proxy-unreachable': {
      what: 'The store’s proxy cannot be used.',
      todo: 'Check the network cable or Wi-Fi, and the proxy’s address in the settings; otherwise ask whoever runs the network.',
    },
    'proxy-auth': {
      what: 'The store’s proxy does not accept the user and password.',
      todo: 'The operator has to check both in the settings of the proxy.',
    },
    'proxy-refused': {
      what: 'The store’s proxy does not lead there.',
      todo: 'Whoever runs the network has to allow this address for the kiosk.',
    },
    'unknown-ca': {
      what: 'The certificate was issued by somebody this kiosk does not know.',
      todo: 'Usually a proxy of the store inspects traffic: the operator has to add its CA to the settings.',
    },
    'certificate-date': {
      what: 'The certificate of the other side is out of date, or not valid yet.',
      todo: 'Check the date and time of this kiosk. If they are right, tell the operator.',
    },
    'certificate-name': {
      what: 'The other side showed the certificate of another host.',
      todo: 'Check the address; otherwise ask whoever runs the network.',
    },
    'pages-do-not-trust-ca': {
      what: 'Native ads and linked pages do not trust the store’s CA, so they may stay empty.',
      todo: 'The operator has to install certutil (package libnss3-tools) and restart the kiosk.',
    },
    tls: {
      what: 'The other side could not prove who it is.',
      todo: 'Ask whoever runs the network.',
    },
    timeout: { what: 'No answer in time.', todo: 'The network may be slow. It is tried again by itself.' },
    cancelled: { what: 'It was cancelled.', todo: 'Try again.' },
    'insecure-address': {
      what: 'Not tried: a secret would have gone out unencrypted.',
      todo: 'The address has to begin with https://.',
    },
    redirect: {
      what: 'The address leads on to another one.',
      todo: 'Enter the final address in the settings.',
    },
    'too-large': { what: 'The answer is too large.', todo: 'Tell the operator.' },
    truncated: {
      what: 'The answer broke off in the middle.',
      todo: 'Usually the network. It is tried again by itself.',
    },
    'wrong-secret': {
      what: 'Client id or secret are not accepted.',
      todo: 'Compare both with what the operator gave you, character by character.',
    },
    unauthorized: {
      what: 'The sign-in is not accepted here.',
      todo: 'Check that service and sign-in address belong together.',
    },
    forbidden: {
      what: 'This account may not use the project.',
      todo: 'Check the project; otherwise the operator has to allow it.',
    },
    'wrong-project': {
      what: 'The service does not know this project.',
      todo: 'Compare the project with what the operator gave you, character by character.',
    },
    'not-found': { what: 'There is nothing at this address.', todo: 'Check the address.' },
    'rate-limited': { what: 'Too many requests.', todo: 'Wait a while. It is tried again by itself.' },
    'server-error': {
      what: 'The service has an error of its own.',
      todo: 'It is tried again by itself. If it stays, tell the operator.',
    },
    'unexpected-status': {
      what: 'The request was not accepted.',
      todo: 'The operator has to check the request parameters in the settings.',
    },
    'web-page': {
      what: 'A web page came instead of an answer.',
      todo: 'The network probably wants somebody to log in: let the kiosk through.',
    },
    'not-xml': {
      what: 'The answer is no playlist.',
      todo: 'Check the address; otherwise tell the operator.',
    },
    'not-json': {
      what: 'The answer makes no sense.',
      todo: 'Check the address; otherwise tell the operator.',
    },
    empty: {
      what: 'The answer is empty.',
      todo: 'It is tried again by itself. If it stays, tell the operator.',
    },
    malformed: {
      what: 'The answer cannot be read.',
      todo: 'Tell the operator. What was stored before stays in use.',
    },
    'not-stored': {
      what: 'The answer could not be stored.',
      todo: 'The disk of this kiosk has to be checked. It is tried again by itself.',
    },
    refused: { what: 'The service answered with an error.', todo: 'Tell the operator what is said below.' },
    'not-tried': { what: 'Not tried: it needs the sign-in.', todo: 'First make the sign-in work.' },
    'no-reboot': {
      what: 'The computer could not be restarted.',
      todo: 'Turn it off and on again with the power switch.',
    },
    'display-not-switched': {
      what: 'The display could not be switched.',
      todo: 'Use its own button, and tell the operator.',
    },
    'autostart-refused': { what: 'The system did not take it.', todo: 'Set it in the system itself.' },
  },
  fields: {
    baseUrl: { label: 'Service address', hint: 'Where ads come from, beginning with https://' },
    authUrl: { label: 'Sign-in address', hint: 'Where the kiosk gets its token' },
    nativeUrl: { label: 'Native ads address', hint: 'Leave empty if there are none' },
    authentication: { label: 'Sign-in', hint: '' },
    clientId: { label: 'Client id', hint: 'From the operator’s credentials' },
    clientSecret: { label: 'Client secret', hint: 'Kept where only the kiosk can read it' },
    projectId: { label: 'Project', hint: 'The retailer’s project at the service' },
    playerId: { label: 'Player id', hint: 'Tells this kiosk from the others' },
    playerKey: { label: 'Retailer key', hint: 'Goes with every request for ads' },
    apptoken: { label: 'App token', hint: 'For native ads only' },
    zoneId: { label: 'Zone', hint: 'For native ads only' },
    proxyUrl: { label: 'Proxy', hint: 'http://host:port, or “system”; leave empty if there is none' },
    proxyUser: { label: 'Proxy user', hint: 'Leave empty if it asks for none' },
    proxyPassword: { label: 'Proxy password', hint: 'Kept where only the kiosk can read it' },
    caFile: { label: 'CA file', hint: 'Path of a PEM file, for a proxy that inspects traffic' },
  },
};
