/** A user and a password before the host of an address. */
const USER_INFO = /(\b[a-z][a-z\d+.-]*:\/\/)[^/?#\s"'@]*@/gi;

/** A text in which no address tells the user and the password that it may hold. */
export function hideUrlSecrets(text: string): string {
  return text.replaceAll(USER_INFO, '$1***@');
}
