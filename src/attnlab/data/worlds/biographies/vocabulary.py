"""The words of generated biographies: places, jobs, and sentence patterns."""

from itertools import accumulate, product
from typing import NamedTuple


def words(row: str) -> tuple[str, ...]:
    """The words of a row."""
    return tuple(row.split())


class City(NamedTuple):
    """A city and its country."""

    city: str
    country: str


CITIES = {
    "England": "London Manchester Liverpool Leeds Norwich Bristol Plymouth",
    "France": "Paris Lyon Marseille Toulouse Bordeaux Nantes Rouen",
    "Germany": "Berlin Hamburg Munich Leipzig Dresden Bremen Cologne Stuttgart",
    "Austria": "Vienna Graz Salzburg Innsbruck",
    "United States": "Chicago Boston Philadelphia Baltimore Cleveland Detroit Seattle Denver Atlanta Milwaukee",
    "Hungary": "Budapest Szeged Debrecen",
    "Poland": "Warsaw Krakow Poznan Gdansk",
    "Italy": "Rome Milan Turin Naples Genoa Bologna Venice",
    "Spain": "Madrid Barcelona Seville Valencia Bilbao",
    "Canada": "Toronto Montreal Ottawa Winnipeg Vancouver",
    "Scotland": "Glasgow Edinburgh Aberdeen Dundee",
    "Russia": "Moscow Kazan Samara",
    "Netherlands": "Amsterdam Rotterdam Utrecht Leiden",
    "Belgium": "Brussels Antwerp Ghent",
    "Sweden": "Stockholm Uppsala Gothenburg",
    "Norway": "Oslo Trondheim Stavanger",
    "Denmark": "Copenhagen Aarhus Odense",
    "Ireland": "Dublin Cork Limerick",
    "Switzerland": "Zurich Geneva Basel",
    "Australia": "Melbourne Brisbane Perth",
    "Argentina": "Rosario Mendoza",
    "Brazil": "Recife Curitiba",
    "Japan": "Tokyo Osaka Kyoto",
    "India": "Mumbai Chennai Kolkata",
    "Egypt": "Cairo Alexandria",
    "Turkey": "Istanbul Izmir",
    "Greece": "Athens Patras",
    "Portugal": "Lisbon Porto",
    "Finland": "Helsinki Turku",
    "Lebanon": "Beirut Tripoli",
}
_BY_COUNTRY = [[City(city, country) for city in words(row)] for country, row in CITIES.items()]
PLACES = tuple(row[rank] for rank in range(max(map(len, _BY_COUNTRY))) for row in _BY_COUNTRY if rank < len(row))
"""From the commonest to the rarest: the first city of each country, then the second of each, and so on."""
CHANCES = tuple(accumulate(1 / (rank + 4) for rank in range(len(PLACES))))
"""Cumulative weights of the places: a Zipf law that begins late, so that no place dominates."""

JOBS = (
    *("a painter", "an engineer", "a composer", "a lawyer", "a botanist", "a printer", "an architect", "a violinist"),
    *("a physician", "a sculptor", "a journalist", "a chemist", "a translator", "a politician", "a photographer"),
    *("an economist", "a geologist", "a novelist", "a poet", "an actor", "a judge", "a historian", "a watchmaker"),
    *("a publisher", "a surgeon", "a pianist", "a mathematician", "a gardener", "a singer", "an astronomer"),
)
SUBJECTS = words("law medicine music chemistry history theology botany physics painting geology philosophy")
EMPLOYERS = tuple(
    f"the {name} {kind}"
    for name, kind in product(
        words("Northern Southern Crown Harbour Anchor Phoenix Castle Mercury Globe Eagle Lion Union"),
        words("Bank Theatre Gazette Institute Railway Museum Hospital Press Orchestra Brewery"),
    )
)
MONTHS = words("January February March April May June July August September October November December")

# `who` is the full name, the last name or a pronoun; `named` is never a pronoun. The part in brackets names a place
# other than the birthplace, and can be left out.
BIRTHS = (
    "{named} (born {date} in {birthplace}, {country}) was {job}",
    "{who} was {job} born in {birthplace} on {date}",
    "Born in {birthplace} on {date}, {who} became {job}",
    "{named} ({date}, {birthplace}) was {job}",
    "{who} was born in {birthplace}, {country}, on {date} and became {job}",
    "{named}, {job}, was born on {date} in {birthplace}",
    "A native of {birthplace}, {country}, {named} (born {date}) was {job}",
    "Born on {date} at {birthplace}, {who} was known as {job}",
    "{who} was {job} of {birthplace} by birth ({date})",
)
WORKS = (
    "{who} worked for {employer}[ in {workplace}]",
    "[In {workplace} ]{who} joined {employer}",
    "{who} spent many years[ in {workplace}] with {employer}",
    "{who} was employed by {employer}[ of {workplace}]",
    "{who} lived[ in {workplace}] from what {employer} paid",
    "{who} moved[ to {workplace}] to join {employer}",
    "[A citizen of {workplace}, ]{who} was with {employer} for life",
)
STUDIES = (
    "{who} studied {subject}[ in {studied}]",
    "{who} took a degree in {subject}[ at the University of {studied}]",
    "After school {who} read {subject}[ in {studied}]",
    "[Educated in {studied}, ]{who} turned to {subject}",
    "{who} left home[ for {studied}] to study {subject}",
)
WORDINGS = len(BIRTHS) * len(WORKS) * len(STUDIES)
"""The number of wordings: nine, seven and five have no common factor, so all combinations occur in turn."""
ORDERS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0))
"""The orders of the three sentences."""
