/** Returns the environment variables for git: PATH, HOME for its credentials, and those that CI sets for it. */
export function gitEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && /^(PATH|HOME|SSH_AUTH_SOCK|GIT_(CONFIG|SSH|ASKPASS).*)$/.test(name) ? [[name, value]] : [],
    ),
  )
}
