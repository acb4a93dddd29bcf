"""The page of `make play`: Voila, which answers to this computer alone, and only to who has the token of the address
that it prints and opens.
"""

import threading
import webbrowser

from voila.app import Voila  # type: ignore[import-untyped]  # it has none


class Boards(Voila):
    auto_token = True

    def init_settings(self) -> dict:
        """A name that leads here without being this computer's is another site's, in whose page a browser sends its
        requests.
        """
        return {**super().init_settings(), "allow_remote_access": self.ip not in ("localhost", "127.0.0.1", "::1")}

    @property
    def display_url(self) -> str:
        return f"{self.connection_url}?token={self.identity_provider.token}"

    def launch_browser(self) -> None:
        threading.Thread(target=webbrowser.open, args=[self.display_url]).start()


if __name__ == "__main__":
    Boards.launch_instance()
