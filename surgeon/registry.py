"""Names to factories. Steps never look in here; only the composition root does."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib import metadata
from typing import Generic, TypeVar

from surgeon.errors import RegistryError

T = TypeVar("T")


class Registry(Generic[T]):
    """One kind of extension, by name. Third parties join through the entry-point group `surgeon.<kind>`, loaded only when named."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._factories: dict[str, Callable[..., T]] = {}

    def add(self, name: str, factory: Callable[..., T]) -> None:
        """Registers a factory; a second one under the same name is an error that names both places."""
        if name in self._factories:
            first, second = self._factories[name], factory
            raise RegistryError(
                f"{self.kind} '{name}' is registered twice",
                f"{first.__module__}.{first.__qualname__} and {second.__module__}.{second.__qualname__}",
                "give one of them another name",
            )
        self._factories[name] = factory

    def get(self, name: str) -> Callable[..., T]:
        """The factory of that name, from the shipped ones or an installed entry point."""
        if name in self._factories:
            return self._factories[name]
        for point in metadata.entry_points(group=f"surgeon.{self.kind}"):
            if point.name == name:
                factory: Callable[..., T] = point.load()
                self._factories[name] = factory
                return factory
        near = difflib.get_close_matches(name, self._factories, n=1)
        hint = f"did you mean '{near[0]}'?  " if near else ""
        raise RegistryError(f"unknown {self.kind} '{name}'", "", f"{hint}available: {', '.join(sorted(self._factories)) or 'none'}")

    def names(self) -> list[str]:
        """Everything that can be named, shipped and installed."""
        installed = {point.name for point in metadata.entry_points(group=f"surgeon.{self.kind}")}
        return sorted(installed | set(self._factories))
