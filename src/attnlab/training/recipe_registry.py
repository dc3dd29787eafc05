"""The registry of recipes: functions that return complete settings, by name."""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from attnlab.errors import ArgumentError

Made = TypeVar("Made")


class Recipes(Mapping[str, Callable[[], Made]], Generic[Made]):
    """Recipes of one kind by name.

    >>> def half_baked():
    ...     'Half of it.'
    ...     return 0.5
    >>> recipes = Recipes(half_baked)
    >>> list(recipes), recipes.find("half-baked"), recipes.about("half-baked")
    (['half-baked'], 0.5, 'Half of it.')
    """

    def __init__(self, *functions: Callable[[], Made]):
        self._functions = {function.__name__.replace("_", "-"): function for function in functions}

    def __getitem__(self, name: str) -> Callable[[], Made]:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def find(self, name: str) -> Made:
        """The settings of a recipe."""
        if name not in self._functions:
            raise ArgumentError.unknown("recipe", name, self)
        return self._functions[name]()

    def abouts(self) -> dict[str, str]:
        """The description of each recipe."""
        return {name: self.about(name) for name in self}

    def about(self, name: str) -> str:
        """The description of a recipe: the first paragraph of its docstring."""
        return (self._functions[name].__doc__ or "").partition("\n\n")[0].replace("\n    ", " ")
