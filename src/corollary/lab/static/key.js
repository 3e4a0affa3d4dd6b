// The key that the lab asks of every request. Local storage belongs to scheme, host and port, so no
// other server of this machine is ever sent it, as it would be a cookie.
const NAME = "corollary-lab-key";

export const keepKey = (key) => localStorage.setItem(NAME, key);

export function withKey(headers = {}) {
  return { ...headers, "x-corollary-key": localStorage.getItem(NAME) || "" };
}
